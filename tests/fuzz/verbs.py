"""Random verbs and inputs over every learner in every variant.

A model lives through a few random calls beside its shadow, which takes the same lessons one by one
from plain rows and is never asked, saved or copied. Whatever is refused leaves no trace; whatever
is asked changes nothing; both end equal to the bit.
"""

import copy
import math
import pickle
import warnings
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
from tests.contract.table import Case, cases
from tests.contract.tools import assert_finite, fingerprint, reloaded
from tests.contract.tools import attempt as call

from onstream.base import DataWarning

FEW = 300
CASES = [case for case in cases() if not case.line.given]
NAMES = ["a", "b", "c", "d", 0, 1, "1", 2, "colour", "é", ""]
ORDINARY = [0.0, 1.0, -1.0, 0.5, 2.0, 3, True, -0.0]
ODD = [None, "red", "blue", "", 1e-300, 5e-324, 1e100, -1e200, 1.7e308, np.float32(1.5), np.int8(7)]
BAD = [math.inf, -math.inf, [], (), b"x", 10**400, object, 1j, np.array([1.0])]


def value(random: Random, odd: float) -> Any:
    if random.random() < odd:
        return random.choice(ODD)
    return random.choice([random.choice(ORDINARY), random.gauss(0.0, 2.0)])


def mapping(random: Random, odd: float) -> dict[Any, Any]:
    return {name: value(random, odd) for name in random.sample(NAMES, random.randrange(6))}


def bad_row(random: Random) -> Any:
    if random.random() < 0.3:
        return random.choice([None, 3, "text", [[1.0]], np.zeros((2, 2)), {(): 1.0}, {"\ud800": 1}])
    return {**mapping(random, 0.2), random.choice(["a", "new"]): random.choice(BAD)}


def target(random: Random, case: Case) -> Any:
    if case.takes_labels:
        return random.choice(["x", "y", "x", "y", "z", "u"])
    return random.choice([random.gauss(0.0, 3.0), 0.0, 1.0, -7])


def numbers(random: Random, rows: int, columns: int) -> np.ndarray:
    values = [random.choice([0.0, 1.0, random.gauss(0.0, 2.0)]) for _ in range(rows * columns)]
    return np.array(values).reshape(rows, columns)


def block_of(random: Random, X: np.ndarray) -> tuple[Any, list[Any]]:
    """The same rows as a block of some kind, and one by one as that kind."""
    kind = random.randrange(6)
    if kind == 0:
        return sp.csr_array(X), [sp.csr_array(X[i : i + 1]) for i in range(len(X))]
    if kind == 1:
        frame = pd.DataFrame(X, columns=[f"n{j}" for j in range(X.shape[1])])
        return frame, [frame.iloc[i : i + 1] for i in range(len(X))]
    if kind == 2:
        table = pa.table({f"n{j}": X[:, j] for j in range(X.shape[1])})
        return table, [table.slice(i, 1) for i in range(len(X))]
    if kind == 3:
        X = np.asfortranarray(X.astype(random.choice([">f8", "f4", "f8"])))
    return X, [X[i : i + 1] for i in range(len(X))]


class Life:
    """A model and its shadow."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.case = random.choice(CASES)
        self.odd = random.choice([0.0, 0.0, 0.1, 0.5])
        self.model, self.shadow = self.case.make(), self.case.make()

    def weight(self) -> float:
        return self.random.choice([1.0, 1.0, 1.0, 0.0, 0.5, 3.0])

    def learn_one(self) -> None:
        x, y, w = mapping(self.random, self.odd), target(self.random, self.case), self.weight()
        assert call(self.model, "learn_one", x, y, w) == call(self.shadow, "learn_one", x, y, w)

    def learn_mappings(self) -> None:
        rows = range(self.random.randrange(5))
        X = [mapping(self.random, self.odd) for _ in rows]
        y = [target(self.random, self.case) for _ in rows]
        self.learn_block(X, y, [([x], [t]) for x, t in zip(X, y, strict=True)])

    def learn_rows(self) -> None:
        n = self.random.randrange(1, 5)
        X, singles = block_of(self.random, numbers(self.random, n, 3))
        y = [target(self.random, self.case) for _ in range(n)]
        self.learn_block(X, y, [(x, [t]) for x, t in zip(singles, y, strict=True)])

    def learn_block(self, X: Any, y: Any, lessons: list[tuple[Any, Any]]) -> None:
        """The block, and the same row by row; one refused for a value teaches nothing."""
        verb = self.random.choice(["learn_many", "predict_learn_many"])
        w = [self.weight() for _ in y]
        before, seen = copy.deepcopy(self.shadow), self.model.seen
        refused = call(self.model, verb, X, y, w)
        alone = None
        for (row, label), weight in zip(lessons, w, strict=True):
            alone = call(self.shadow, "learn_many", row, label, [weight])
            if alone:
                break
        assert (refused is None) == (alone is None), (refused, alone)
        if refused and self.model.seen == seen:
            self.shadow = before

    def ask(self) -> None:
        before = fingerprint(self.model)
        x = bad_row(self.random) if self.random.random() < 0.3 else mapping(self.random, 0.3)
        for verb in ("predict_one", "score_one", "predict_proba_one"):
            if hasattr(self.model, verb):
                call(self.model, verb, x)
        for verb in ("predict_many", "score_many", "predict_proba_many"):
            if hasattr(self.model, verb):
                call(self.model, verb, [x, {}])
        assert fingerprint(self.model) == before

    def teach_nonsense(self) -> None:
        before = fingerprint(self.model)
        x, y = bad_row(self.random), target(self.random, self.case)
        refused = call(self.model, "learn_one", x, y)
        block = call(self.model, "learn_many", [{"a": 1.0}, x], [y, y])
        if refused:
            assert block
            assert fingerprint(self.model) == before
        else:  # a row of numbers, or a value that this learner takes as missing
            self.model = copy.deepcopy(self.shadow)
        bad = self.random.choice([-1.0, math.nan, math.inf, "1", None])
        assert call(self.model, "learn_one", {"new": 1.0}, y, bad)
        if self.case.takes_targets:
            assert call(self.model, "learn_one", {"new": 1.0}, b"no label")
            assert call(self.model, "learn_many", [{"new": 1.0}] * 2, [y])
        assert fingerprint(self.model) == fingerprint(self.shadow)

    def copied(self) -> None:
        how = self.random.randrange(4)
        if how == 0:
            self.model = reloaded(self.model)
        elif how == 1:
            self.model = copy.deepcopy(self.model)
        elif how == 2:
            self.model = pickle.loads(pickle.dumps(self.model))
        else:
            self.model = self.case.make(init=self.model)

    def merge(self) -> None:
        other = self.case.make()
        for _ in range(self.random.randrange(3)):
            x, y = mapping(self.random, self.odd), target(self.random, self.case)
            call(other, "learn_one", x, y)
        before = fingerprint(self.model)
        refused = call(self.model, "merge", other)
        assert call(self.shadow, "merge", other) == refused
        if refused:
            assert fingerprint(self.model) == before

    def look(self) -> None:
        repr(self.model)
        assert self.model.clone().seen == 0
        assert self.model.memory_bytes > 0
        for name in ("weights", "bias", "labels", "params", "supports", "n_nodes", "depth"):
            getattr(self.model, name, None)

    VERBS = (
        (learn_one, 6),
        (learn_mappings, 3),
        (learn_rows, 3),
        (ask, 1),
        (teach_nonsense, 1),
        (copied, 1),
        (merge, 1),
        (look, 1),
    )


def attempt(random: Random) -> None:
    """One life."""
    verbs, odds = zip(*Life.VERBS, strict=True)
    done: list[str] = []
    life = Life(random)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            for verb in random.choices(verbs, odds, k=random.randrange(1, 12)):
                done.append(verb.__name__)
                verb(life)
            assert_finite(life.model)
            assert fingerprint(life.model) == fingerprint(life.shadow)
            assert fingerprint(reloaded(life.model)) == fingerprint(life.shadow)
    except BaseException as error:
        error.add_note(f"{life.case!r}: {', '.join(done)}")
        raise
