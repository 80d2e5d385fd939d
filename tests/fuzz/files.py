"""Model files with other contents and the right checksum: refused with a sentence, or a model.

What `load` accepts must work: answers are finite, probabilities add up to 1, it learns on, merges,
and what it saves can be loaded again. Nothing takes more than a little memory.
"""

import copy
import math
import os
import resource
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
from tests.contract.table import TRANSFORMERS
from tests.persist.forge import NUMPY, Parts, Tensor, put_together, small_models, take_apart

from onstream import LogisticRegression
from onstream.base import Classifier, NotMergeable, Regressor, parts
from onstream.bayes import BernoulliNB, CategoricalNB, GaussianNB
from onstream.features import FeatureHasher, Imputer, MinMaxScaler, Select, StandardScaler
from onstream.features.transformer import Transformer
from onstream.kernel import (
    KernelPA,
    KernelPerceptron,
    Projectron,
    Spectrum,
    Subsequence,
    SubsetTree,
    WeisfeilerLehman,
)
from onstream.linear import SGDClassifier
from onstream.neighbors import KNNADWINClassifier, KNNClassifier, KNNRegressor
from onstream.persist import ModelFileError, dumps, loads
from onstream.stats.sketches import KLL, Sketch
from onstream.tree import (
    CVFDT,
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)

FEW = 150
MEMORY = 2**30  # bytes that one case may take
ROWS = [{"a": 1.0, "b": -0.5}, {"b": 2.0, "naïve": 1.0, 7: 1.0}, {"s": "text"}, {"new": 3.0}]
TABLE = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])


class Case(NamedTuple):
    """A file, and examples that its model knows."""

    data: bytes
    rows: Any  # a list or an array
    targets: list[Any]


@cache
def cases() -> dict[str, Case]:
    """Every kind of file, by name."""
    found = {}
    for name, model in small_models().items():
        rows = TABLE if name.endswith("columns") else ROWS[:3]
        found[name] = Case(dumps(model), rows, targets_for(model, 3))
    for model in [*TRANSFORMERS, *pipelines()]:
        for rows in (TABLE, ROWS[:3]):
            try:
                trained = model.clone()
                targets = targets_for(trained, 3)
                trained.learn_many(rows) if isinstance(model, Transformer) else trained.learn_many(
                    rows, targets
                )
                found[f"{len(found)} {model!r:.60}"] = Case(dumps(trained), rows, targets)
            except (TypeError, ValueError):
                continue  # it does not take such rows
    found |= grown() | structured()
    for name, cls in parts().items():
        if hasattr(cls, "update_many"):
            for n in (0, 3, 300):
                part = cls()
                values = values_for(part, n)
                part.update_many(values)
                found[f"{name} {n}"] = Case(dumps(part), values or values_for(part, 3), [])
    return found


def pipelines() -> list[Any]:
    """Learners behind transformers."""
    return [
        StandardScaler() | LogisticRegression(),
        (Select("a", 0) + MinMaxScaler()) | SGDClassifier(),
        FeatureHasher(hash_bits=3, signed=False) | BernoulliNB(),
        Imputer() | GaussianNB(),
        StandardScaler() | HoeffdingTreeRegressor(grace_period=2),
        MinMaxScaler() | KNNClassifier(k=2, window=5),
        StandardScaler() | KernelPA(),
    ]


def grown() -> dict[str, Case]:
    """Models with a longer history: trees that have split, full windows, nominal values."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    y = (X[:, 0] * 3).astype(int)
    quick = {"grace_period": 10, "delta": 0.3, "tau": 0.5}
    models = [
        HoeffdingTreeClassifier(**quick),
        HoeffdingTreeClassifier(**quick, leaf_prediction="mc"),
        HoeffdingTreeClassifier(**quick, leaf_prediction="nb", max_bytes=20_000),
        HoeffdingAdaptiveTreeClassifier(**quick, leaf_prediction="nb"),
        ExtremelyFastDecisionTree(**quick),
        CVFDT(**quick, window=60, check_every=20, test_every=20, test_length=10),
        HoeffdingTreeRegressor(grace_period=20, delta=0.3),
        KNNClassifier(k=3, window=20),
        KNNADWINClassifier(k=3, window=20),
        KNNRegressor(k=3, window=20),
        GaussianNB(),
    ]
    found = {}
    for model in models:
        targets = X[:, 0].tolist() if isinstance(model, Regressor) else y.tolist()
        model.learn_many(X, targets)
        found[f"{model!r:.60} grown"] = Case(dumps(model), X[:5], targets[:5])
    rows = [{"colour": "red" if i % 3 else "blue", "size": i % 5 / 2} for i in range(60)]
    labels = ["x" if i % 3 else "y" for i in range(60)]
    for model in (CategoricalNB(), HoeffdingTreeClassifier(**quick), GaussianNB()):
        model.learn_many(rows, labels)
        found[f"{model!r:.60} nominal"] = Case(dumps(model), rows[:4], labels[:4])
    return found


def structured() -> dict[str, Case]:
    """Learners of strings, trees and graphs."""
    trees = ["(S (N dogs) (V bark))", "(S (N cats))", "(S (V run) (N dogs))"]
    graphs = [{"nodes": ["C", "O"], "edges": [(0, 1)]}, {"nodes": ["C"], "edges": []}]
    found = {}
    for kernel, rows in (
        (Spectrum(2), ["abc", "abd", "xbd"]),
        (Subsequence(2), ["abc", "abd", "xbd"]),
        (SubsetTree(), trees),
        (WeisfeilerLehman(2), [*graphs, graphs[0]]),
    ):
        for cls in (KernelPerceptron, Projectron):
            model = cls(kernel=kernel)
            model.learn_many(rows, ["p", "q", "p"])
            found[f"{model!r:.60}"] = Case(dumps(model), rows, ["p", "q", "p"])
    return found


def targets_for(model: Any, n: int) -> list[Any]:
    """Labels or numbers, as the model wants them."""
    labels = ["no", "yes", "no", "perhaps"] if hasattr(model, "labels") else [1.0, -2.0, 0.5, 3.0]
    return labels[:n]


def values_for(part: Any, n: int) -> list[Any]:
    """Values for a detector, a statistic or a sketch."""
    if isinstance(part, Sketch) and not isinstance(part, KLL):
        return [f"w{i * i % 97}" if i % 2 else i for i in range(n)]
    return [float(i % 2) for i in range(n)]


# -- changes --------------------------------------------------------------------------------------

ODD: list[Any] = [
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        3,
        30,
        31,
        1000,
        2**18,
        2**31 - 1,
        2**31,
        2**53,
        2**62,
        2**63,
    ),
    *(10**40, -(10**40), 0.5, -0.5, 1e-320, 1e-300, 1e154, -1e154, 1e300, 1e308, "", "text", "mc"),
    *([], [1], ["a", "b"], [[]], {}, {"a": 1}, {"class of onstream": "Union", "params": {}}),
]
WORDS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-320,
    5e-324,
    1e-300,
    1e16,
    1e100,
    1e154,
    -1e154,
    1e300,
    -1e300,
]
WORDS += [1.7e308, math.inf, -math.inf, math.nan]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def change_header(parts: Parts, random: Random) -> None:
    path = random.choice(list(places(parts.header)))
    place: Any = parts.header
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    if random.random() < 0.08:
        del place[path[-1]]
    elif isinstance(place, dict) and random.random() < 0.05:
        place["more"] = copy.deepcopy(random.choice(ODD))
    elif type(old) in (int, float) and random.random() < 0.6:
        new = random.choice([old + 1, old - 1, 2 * old, -old, old * 1e6, old / 1e6, *WORDS[:-3]])
        place[path[-1]] = type(old)(new) if abs(new) < 2**63 else new
    else:
        place[path[-1]] = copy.deepcopy(random.choice(ODD))


def change_numbers(parts: Parts, random: Random) -> None:
    """Other numbers in an array."""
    name = random.choice(list(parts.tensors))
    old = parts.tensors[name]
    dtype = np.dtype(NUMPY[old.dtype])
    if not old.data or len(old.data) % dtype.itemsize:
        return
    array = np.frombuffer(old.data, dtype).copy()
    i, j = random.randrange(array.size), random.randrange(array.size)
    what = random.randrange(6)
    if what == 0:
        array[i], array[j] = array[j], array[i]
    elif what == 1:
        array[min(i, j) : max(i, j) + 1] = array[i]
    elif old.dtype == "F64":
        factor = random.choice([-1.0, 2.0, 5.0, 0.5, 1e-3, 1e8, 1e150, 1e-150])
        with np.errstate(all="ignore"):
            if what == 2:
                array *= factor
            elif what == 3:
                array[i] *= factor
            else:
                array[i] = random.choice(WORDS)
    else:
        limit = np.iinfo(array.dtype)
        other = random.choice([-1, 0, 1, 2, int(array[i]) + 1, int(array[i]) - 1, 2**31, 2**62])
        array[i] = max(limit.min, min(limit.max, other))
    parts.tensors[name] = old._replace(data=array.tobytes())


def change_shape(parts: Parts, random: Random) -> None:
    """An array that is longer, shorter, of another kind, gone or there twice."""
    name = random.choice(list(parts.tensors))
    old = parts.tensors[name]
    what = random.randrange(5)
    if what == 0:
        del parts.tensors[name]
    elif what == 1:
        parts.tensors[random.choice([*parts.tensors, "more", "labels", "seen"])] = old
    elif what == 2:
        dtype = random.choice(list(NUMPY))
        parts.tensors[name] = old._replace(dtype=dtype)
    elif what == 3:
        shape = [random.choice([side, side + 1, max(0, side - 1)]) for side in old.shape]
        shape.insert(random.randrange(len(shape) + 1), random.choice([0, 1, 2, 2**62]))
        parts.tensors[name] = old._replace(shape=shape)
    elif (
        old.shape
        and max(old.shape) < 2**40  # NumPy has no such array, though it may have no numbers
        and math.prod(old.shape) * np.dtype(NUMPY[old.dtype]).itemsize == len(old.data)
    ):
        array = old.array  # rows more or fewer, and the shape says so
        rows = array[:-1] if random.random() < 0.5 else np.concatenate([array, array[:1]])
        parts.tensors[name] = Tensor(old.dtype, list(rows.shape), rows.tobytes())


def cross(parts: Parts, random: Random) -> None:
    """Something of another file."""
    other = take_apart(random.choice(list(cases().values())).data)
    if random.random() < 0.5 or not other.tensors:
        part = random.choice(["params", "numbers", "names", "functions"])
        parts.header[part] = other.header[part]
    else:
        name = random.choice(list(other.tensors))
        parts.tensors[name] = other.tensors[name]


def forged(case: Case, random: Random) -> bytes:
    """The file with one to three changes."""
    parts = take_apart(case.data)
    parts = Parts(copy.deepcopy(parts.header), dict(parts.tensors))
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        kinds = [change_header, change_numbers, change_numbers, change_numbers, change_shape, cross]
        change = random.choice(kinds)
        if parts.tensors or change in (change_header, cross):
            change(parts, random)
    return put_together(parts)


# -- what must hold -------------------------------------------------------------------------------


def attempt(random: Random) -> None:
    """One file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = random.choice(list(cases().values()))
        data = forged(case, random)
        with little_memory():
            try:
                model = loads(data)
            except ModelFileError:
                return
            use(model, case, random)


@contextmanager
def little_memory() -> Iterator[None]:
    """Whoever asks for gigabytes gets none."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as status:
        used = int(status.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def use(model: Any, case: Case, random: Random) -> None:
    """Ask, teach, copy, merge."""
    data = dumps(model)
    again = loads(data)
    assert dumps(again) == data
    ask(model, case)
    assert dumps(model) == data, "an answer left a trace"
    for _ in range(2):
        try:
            teach(model, case)
        except (ValueError, TypeError):  # of another kind than the rows, or too large
            break
        ask(model, case)
    later = dumps(model)
    assert dumps(loads(later)) == later
    if hasattr(model, "merge"):
        try:
            model.merge(again)
        except (NotMergeable, ValueError):
            assert dumps(model) == later, "a refused merge left a trace"
        else:
            ask(model, case)
            merged = dumps(model)
            assert dumps(loads(merged)) == merged


def teach(model: Any, case: Case) -> None:
    """Learn the rows, one by one and as a block."""
    if isinstance(model, Transformer):
        for row in case.rows:
            model.learn_one(row)
        model.learn_many(case.rows)
    elif hasattr(model, "learn_one"):
        targets = case.targets or targets_for(model, len(case.rows))
        for row, target in zip(case.rows, targets, strict=True):
            model.learn_one(row, target)
        model.learn_many(case.rows, targets)
    else:
        for value in case.rows:
            model.update(value)
        model.update_many(case.rows)


def ask(model: Any, case: Case) -> None:
    """Every answer is finite, or a ValueError."""
    for name in dir(type(model)):
        if not name.startswith("_") and isinstance(getattr(type(model), name, None), property):
            sound(lambda name=name: getattr(model, name), name)
    if isinstance(model, Transformer):
        for row in case.rows:
            sound(lambda row=row: model.transform_one(row), "transform_one")
    elif hasattr(model, "predict_one"):
        for row in case.rows:
            sound(lambda row=row: model.predict_one(row), "predict_one")
            sound(lambda row=row: model.score_one(row), "score_one")
        sound(lambda: model.score_many(case.rows), "score_many")
        if isinstance(model, Classifier) and hasattr(model, "predict_proba_one"):
            for row in case.rows:
                adds_up(model, row)
    elif isinstance(model, Sketch):
        for verb, argument in (("estimate", 3), ("bounds", "w1"), ("top", 5), ("quantile", 0.3)):
            if hasattr(model, verb):
                sound(lambda v=verb, a=argument: getattr(model, v)(a), verb)


def adds_up(model: Any, row: Any) -> None:
    """Probabilities are such."""
    try:
        shares = model.predict_proba_one(row)
    except (ValueError, TypeError, AttributeError):  # of a loss that has no probabilities
        return
    assert all(-1e-9 <= share <= 1.0 + 1e-9 for share in shares.values()), shares
    assert not shares or abs(sum(shares.values()) - 1.0) < 1e-6, shares


def sound(question: Any, name: str) -> None:
    """No number of the answer is infinite or NaN."""
    try:
        answer = question()
    except (ValueError, TypeError, AttributeError):  # of a parameter that has no such answer
        return
    except MemoryError:  # supports as a table, of a model that has met a column beyond a billion
        return
    assert finite(answer), f"{name} is {answer!r:.200}"


def finite(answer: Any) -> bool:
    """Look into lists and dicts, too."""
    if isinstance(answer, dict):
        return all(map(finite, answer.values()))
    if isinstance(answer, (list, tuple, set)):
        return all(map(finite, answer))
    if isinstance(answer, np.ndarray):
        return answer.dtype.kind != "f" or bool(np.isfinite(answer).all())
    return not isinstance(answer, float) or math.isfinite(answer)
