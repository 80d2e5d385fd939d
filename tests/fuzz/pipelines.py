"""Random pipelines and unions on random rows, taken by random verbs.

Two models are made alike: one learns in blocks and is copied, saved and loaded now and then, the
other learns row by row. Whatever happens, their bytes stay the same; what is refused, and whoever
only looks, changes none of them.
"""

import copy
import math
import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.base import DataWarning, NotMergeable, Regressor
from onstream.bayes import (
    BayesianLinearRegression,
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    MultinomialNB,
)
from onstream.features import (
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Transformer,
    Union,
)
from onstream.kernel import FOGD, RBF, BudgetedPA, KernelPARegressor, KernelPerceptron
from onstream.linear import (
    AROW,
    CW,
    RLS,
    FTRLProximal,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    SGDClassifier,
    SGDRegressor,
)
from onstream.neighbors import KNNADWINClassifier, KNNClassifier, KNNRegressor
from onstream.persist import dumps, loads
from onstream.tree import (
    CVFDT,
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)

FEW = 40
REFUSALS = (TypeError, ValueError, OverflowError)  # and NotMergeable, where models are merged

NUMBERS = ("a", "b", "n", "7")
TEXTS = ("colour", "shape")
WORDS = ("to", "be", "or", "not")

STEPS: tuple[Callable[[Random], Any], ...] = (
    lambda random: StandardScaler(),
    lambda random: MinMaxScaler(),
    lambda random: Imputer(),
    lambda random: Imputer(strategy="constant", value=-1.0),
    lambda random: Select(*random.sample((*NUMBERS, *TEXTS, 0, 1), random.randint(1, 6))),
    lambda random: Select(*NUMBERS, *TEXTS, *range(8)),
    lambda random: FeatureHasher(hash_bits=random.randint(1, 5), signed=random.random() < 0.5),
    lambda random: FeatureHasher(hash_bits=3, binary=True),
    lambda random: RandomFourierFeatures(n_components=random.randint(1, 3)),
)
FIRST: tuple[Callable[[Random], Any], ...] = (
    lambda random: BagOfWords(on="t"),
    lambda random: BagOfWords(on=["t", "colour"], hash_bits=4),
)
LEARNERS: tuple[Callable[[], Any], ...] = (
    lambda: HoeffdingTreeClassifier(grace_period=5, delta=0.1, tau=0.5),
    lambda: HoeffdingTreeClassifier(grace_period=5, nominal=["a"], leaf_prediction="nb"),
    lambda: HoeffdingTreeClassifier(grace_period=5, max_bytes=60_000),
    lambda: HoeffdingAdaptiveTreeClassifier(grace_period=5),
    lambda: ExtremelyFastDecisionTree(grace_period=5),
    lambda: CVFDT(grace_period=5, window=20),
    lambda: HoeffdingTreeRegressor(grace_period=5),
    lambda: GaussianNB(),
    lambda: GaussianNB(categorical=["b"]),
    lambda: CategoricalNB(),
    lambda: MultinomialNB(),
    lambda: BernoulliNB(),
    lambda: BayesianLinearRegression(),
    lambda: KernelPerceptron(kernel=RBF()),
    lambda: BudgetedPA(kernel=RBF(), budget=4),
    lambda: FOGD(n_components=3),
    lambda: KernelPARegressor(kernel=RBF()),
    lambda: KNNClassifier(k=3, window=10),
    lambda: KNNADWINClassifier(k=3, window=10),
    lambda: KNNRegressor(k=3, window=10),
    lambda: PAClassifier(),
    lambda: LogisticRegression(labels=["x", "y"]),
    lambda: AROW(),
    lambda: CW(covariance="full"),
    lambda: FTRLProximal(),
    lambda: SGDClassifier(schedule="adagrad"),
    lambda: RLS(),
    lambda: SGDRegressor(),
    lambda: PARegressor(),
)


# -- models ----------------------------------------------------------------------------------------


def step(random: Random, depth: int) -> Any:
    """One transformer; down to `depth` it may be a union of chains of them."""
    if depth and random.random() < 0.35:
        return Union(*(chain(random, depth - 1) for _ in range(random.randint(1, 3))))
    return random.choice(STEPS)(random)


def chain(random: Random, depth: int) -> Any:
    """One or two transformers in a row."""
    first = step(random, depth)
    return first | step(random, depth) if random.random() < 0.4 else first


def pipeline(random: Random) -> Any:
    """Up to four steps, the last mostly a learner. ValueError: these do not go together."""
    steps = [step(random, 2) for _ in range(random.randint(0, 3))]
    if random.random() < 0.15:
        steps.insert(random.random() < 0.1, random.choice(FIRST)(random))
    steps = steps[:3]
    steps.append(random.choice(LEARNERS)() if random.random() < 0.75 else step(random, 2))
    model = steps[0]
    for other in steps[1:]:
        model = model | other
    return model


# -- rows ------------------------------------------------------------------------------------------


def number(random: Random) -> Any:
    """A number as users have them."""
    return random.choice(
        (
            0.0,
            1.0,
            1,
            True,
            -2.5,
            random.randint(0, 3),
            random.gauss(0.0, 1.0),
            random.gauss(50.0, 9.0),
        )
    )


def row(random: Random, strict: bool) -> dict[Any, Any]:
    """A mapping; if `strict`, each feature is always a number or always a text."""
    found: dict[Any, Any] = {}
    for name in NUMBERS:
        if random.random() < 0.6:
            found[name] = number(random)
    for name in TEXTS:
        if random.random() < 0.6:
            found[name] = random.choice(("red", "green", "blue", f"v{random.randint(0, 30)}"))
    if random.random() < 0.4:
        found["t"] = " ".join(random.choices(WORDS, k=random.randint(0, 4)))
    if random.random() < 0.2:
        found[f"new{random.randint(0, 20)}"] = number(random)
    if found and not strict and random.random() < 0.15:
        name = random.choice(list(found))
        found[name] = random.choice((None, 1e200, 1e308, -1e308, 1e-308, "text", 3, 10**30))
    return found


def wrong(random: Random) -> dict[Any, Any]:
    """A row that nobody takes."""
    found = row(random, True)
    found[random.choice((*NUMBERS, "never"))] = random.choice(
        (math.inf, -math.inf, [1], 10**400, b"x")
    )
    return found


def array(random: Random, n: int, missing: bool) -> Any:
    """Rows of three numbers."""
    X = np.array([[float(number(random)) for _ in range(3)] for _ in range(n)])
    if missing and n:
        X[random.randrange(n), random.randrange(3)] = math.nan
    return X


def table(rows: list[dict[Any, Any]]) -> Any:
    """The same rows as a table, whose nulls are what they lack."""
    names = list(dict.fromkeys(name for found in rows for name in found))
    return pa.table(
        {str(name): pa.array([as_plain(found.get(name)) for found in rows]) for name in names}
    )


def as_plain(value: Any) -> Any:
    """A value that a column of a table can hold beside others of its kind."""
    return value if value is None or isinstance(value, str) else float(value)


def in_order(found: dict[Any, Any], names: list[Any]) -> dict[Any, Any]:
    """The row as a table has it: its features in the order of the columns."""
    return {name: as_plain(found.get(name)) for name in names}


# -- what must hold --------------------------------------------------------------------------------


class Pair:
    """A model that learns in blocks, and one that learns the same row by row."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = pipeline(random)
        self.loop = self.model.clone()
        self.transforms = isinstance(self.model, Transformer)
        self.regresses = isinstance(self.model, Regressor)
        self.who = type(self.model).__name__
        self.agree()
        self.new = dumps(self.model)
        assert dumps(loads(self.new)) == self.new

    def agree(self) -> None:
        """Both are the same, byte for byte."""
        assert held(self.model) == held(self.loop), "block and loop differ"

    def target(self) -> Any:
        if self.regresses:
            return self.random.choice((0.0, 1.5, -3.0, self.random.gauss(0.0, 1.0)) * 5 + (1e150,))
        return self.random.choice("xyz" if self.random.random() < 0.3 else "xy")

    def weight(self) -> float:
        if self.transforms and self.random.random() < 0.05:
            return self.random.choice((1e-300, 1e300))
        return self.random.choice((1.0, 1.0, 1.0, 0.5, 2.0, 0.0))

    def refused(
        self, model: Any, verb: str, *arguments: Any, told: list[Any] | None = None
    ) -> Exception | None:
        """Do it; an error must name the model, and leave no trace if it is not about later rows."""
        before = held(model)
        try:
            answers = getattr(model, verb)(*arguments)
            if told is not None and answers is not None:
                told.extend(answers.tolist())
        except REFUSALS as error:
            says_who(self.who, error)
            if "rows before it were learned" not in str(error) and held(model) != before:
                raise AssertionError("it left a trace") from error
            return error
        return None

    def learn(self, model: Any, x: Any, y: Any, w: float) -> Exception | None:
        """One row."""
        return self.refused(model, "learn_one", x, *(() if self.transforms else (y,)), w)

    # -- verbs -----------------------------------------------------------------------------------

    def learn_one(self) -> None:
        x, y, w = row(self.random, False), self.target(), self.weight()
        if self.random.random() < 0.1:
            x = wrong(self.random)
        told = [self.learn(model, x, y, w) for model in (self.model, self.loop)]
        assert type(told[0]) is type(told[1])

    def learn_many(self) -> None:
        n = self.random.randint(0, 12)
        y, w = [self.target() for _ in range(n)], [self.weight() for _ in range(n)]
        kind = self.random.choice(("rows", "rows", "table", "array"))
        rows: Any = [row(self.random, kind == "table") for _ in range(n)]
        if kind == "rows" and n and self.random.random() < 0.1:
            rows[self.random.randrange(n)] = wrong(self.random)
        X = rows
        if kind == "table" and rows and any(rows):
            X = table(rows)
            rows = [in_order(found, X.column_names) for found in rows]
        elif kind == "array":
            X = rows = array(self.random, n, self.random.random() < 0.3)
        before = self.model.seen
        answers: list[Any] = []
        error = self.block(X, y, w, answers)
        learned = n
        if error is not None:
            place = re.search(r"row (\d+): .*rows before it were learned", str(error))
            learned = int(place[1]) if place else 0
        for i, (x, target, weight) in enumerate(list(zip(rows, y, w, strict=True))[:learned]):
            if answers:
                assert self.loop.predict_one(x) == answers[i]
            refused = self.learn(self.loop, x, target, weight)
            assert refused is None, f"row by row it is refused: {refused}"
        if error is not None and learned < n and "before it were" in str(error):
            assert self.learn(self.loop, rows[learned], y[learned], w[learned]) is not None
        assert self.model.seen == before + sum(weight > 0.0 for weight in w[:learned])

    def block(self, X: Any, y: list[Any], w: list[float], answers: list[Any]) -> Exception | None:
        """The block, by one of the verbs that learn it; what it answers before each row."""
        weights = None if all(weight == 1.0 for weight in w) else np.array(w)
        if self.transforms:
            return self.refused(self.model, "learn_many", X, weights)
        verb = self.random.choice(("learn_many", "predict_learn_many"))
        return self.refused(self.model, verb, X, y, weights, told=answers)

    def look(self) -> None:
        """Whoever looks changes nothing, and is told the same of one row and of many."""
        x = row(self.random, False) if self.random.random() < 0.8 else wrong(self.random)
        verbs = ("transform",) if self.transforms else ("predict", "score", "predict_proba")
        for verb in verbs:
            if not hasattr(self.model, f"{verb}_one"):
                continue
            before = held(self.model)
            try:
                one = getattr(self.model, f"{verb}_one")(x)
                many = getattr(self.model, f"{verb}_many")([x])
            except REFUSALS as error:
                says_who(self.who, error)
            else:
                assert all(map(math.isfinite, numbers(one))), (verb, one)
                assert list(numbers(one)) == list(numbers(many[0])) or verb == "predict"
            assert held(self.model) == before, f"{verb} left a trace"
        before = held(self.model)
        assert len(repr(self.model)) > 0 < self.model.memory_bytes
        if hasattr(self.model, "members"):
            members = self.model.members
            assert members[-1].seen == self.model.seen
            for member in members:
                assert held(loads(dumps(member))) == held(member)
        assert held(self.model) == before

    def copy(self) -> None:
        """A copy goes on where the model was."""
        before = dumps(self.model)
        kind = self.random.choice(("file", "pickle", "deepcopy"))
        if kind == "file":
            self.model = loads(before)
        elif kind == "pickle":
            self.model = pickle.loads(pickle.dumps(self.model))
        else:
            self.model = copy.deepcopy(self.model)
        assert dumps(self.model) == before, f"{kind} has changed it"

    def clone(self) -> None:
        """A clone is new."""
        assert dumps(self.model.clone()) == self.new

    def merge(self) -> None:
        """Merge another, or be told why not; `merge_kind` says which."""
        other = self.model.clone()
        for _ in range(self.random.randint(0, 5)):
            self.learn(other, row(self.random, True), self.target(), 1.0)
        theirs = held(other)
        for model in (self.model, self.loop):
            before = held(model)
            try:
                model.merge(other)
            except NotMergeable as error:
                says_who(r"\w+", error)
                assert held(model) == before
            else:
                assert model.merge_kind is not None
                assert held(loads(dumps(model))) == held(model)
            assert held(other) == theirs


def says_who(pattern: str, error: Exception) -> None:
    """An error begins with the name of whoever refuses."""
    if not re.match(rf"{pattern}(:| cannot be merged)", str(error)):
        raise AssertionError(f"{error} names nobody") from error


def held(model: Any) -> Any:
    """Everything that the model has learned, to be compared; much quicker than its file."""
    return comparable(model._model.snapshot())


def comparable(fields: Any) -> Any:
    """Exported fields with arrays as bytes, which tell -0.0 from 0.0."""
    if isinstance(fields, dict):
        return {name: comparable(value) for name, value in fields.items()}
    if isinstance(fields, np.ndarray):
        return fields.dtype.str, fields.shape, fields.tobytes()
    return repr(fields)


def numbers(answer: Any) -> Iterator[float]:
    """The numbers of an answer, in their order."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    for value in np.ravel(answer).tolist():
        if isinstance(value, (int, float)) and value is not None:
            yield float(value)


VERBS = (
    Pair.learn_one,
    Pair.learn_many,
    Pair.learn_many,
    Pair.look,
    Pair.copy,
    Pair.clone,
    Pair.merge,
)


def attempt(random: Random) -> None:
    """One pipeline and what a user may do with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        live(random)


def live(random: Random) -> None:
    """A few verbs."""
    try:
        pair = Pair(random)
    except ValueError as error:  # such steps do not go together, and it says so
        says_who("(Pipeline|BagOfWords|Select)", error)
        return
    for verb in random.choices(VERBS, k=random.randint(1, 8)):
        verb(pair)
        pair.agree()
    assert dumps(loads(dumps(pair.model))) == dumps(pair.model) == dumps(pair.loop)
