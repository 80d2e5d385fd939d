"""What `prequential` takes: streams, own learners on them, and arguments that mean nothing."""

import collections
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from onstream import LogisticRegression
from onstream.drift import ADWIN
from onstream.evaluate import Accuracy, LogLoss, Prequential, prequential
from onstream.linear import PAMultilabel

A = np.random.default_rng(0).normal(size=(50, 2))
Y = (A[:, 0] > 0).astype(int)
ROWS = [dict(zip("ab", row, strict=True)) for row in A.tolist()]


class Mine:
    """A learner of somebody else's."""

    def __init__(self):
        self.weights = []

    def learn_one(self, x, y):
        self.weights.append(None)

    def predict_one(self, x):
        return 0


class Weighs(Mine):
    """It asks for weights."""

    def learn_one(self, x, y, w):
        self.weights.append(w)


class Either(Mine):
    """It takes them, too."""

    def learn_one(self, x, y, w=None):
        self.weights.append(w)


def streams(weights):
    """The same examples, all and each, with weights or without."""
    w = np.full(50, 0.5)
    yield (A, Y, w) if weights else (A, Y)
    yield (ROWS, Y.tolist(), w.tolist()) if weights else (ROWS, Y.tolist())
    pairs = [(x, y, 0.5) if weights else (x, y) for x, y in zip(ROWS, Y.tolist(), strict=True)]
    yield pairs
    yield iter(pairs)


@pytest.mark.parametrize("delay", [0, 3])
def test_a_weight_is_handed_on_if_the_stream_has_one(delay):
    for cls in (Mine, Either):
        for stream in streams(False):
            model = cls()
            prequential(model, stream, delay=delay)
            assert model.weights == [None] * 50
    for weights, cls, told in (
        (False, Weighs, r"^prequential: Weighs: .*no weights.* learn_one\(x, y"),
        (True, Mine, r"^prequential: Mine: .*has weights.* learn_one\(x, y, w"),
    ):
        for stream in streams(weights):
            model = cls()
            with pytest.raises(TypeError, match=told):
                prequential(model, stream, delay=delay)
            assert model.weights == []
    for cls in (Weighs, Either):
        for stream in streams(True):
            model = cls()
            prequential(model, stream, delay=delay)
            assert model.weights == [0.5] * 50


def test_some_examples_have_a_weight():
    model = Either()
    prequential(model, [({"a": 1.0}, 0), ({"a": 1.0}, 1, 2.0), ({"a": 1.0}, 0)])
    assert model.weights == [1.0, 2.0, 1.0]


class Spoils:
    """It leaves nothing of what it gets."""

    def predict_one(self, x):
        spoil(x)
        return 0

    def learn_one(self, x, y):
        spoil(x)
        spoil(y)


class SpoilsBlocks(Spoils):
    """The same in blocks."""

    def predict_learn_many(self, X, y):
        for x in X if isinstance(X, list) else [X]:
            spoil(x)
        return np.zeros(len(y), dtype=int)


def spoil(x):
    if hasattr(x, "clear"):
        x.clear()
    elif isinstance(x, pd.DataFrame):
        x.iloc[:, :] = 99.0
    elif isinstance(x, np.ndarray):
        x[:] = 99.0
    elif hasattr(x, "data"):
        x.data[:] = 99.0


BLOCKS = {
    "array": A,
    "dicts": ROWS,
    "counters": [collections.Counter(row) for row in ROWS],
    "lists": A.tolist(),
    "frame": pd.DataFrame(A, columns=list("ab")),
    "sparse": sp.csr_array(A),
}


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("cls", [Spoils, SpoilsBlocks])
@pytest.mark.parametrize("delay", [0, 3])
def test_what_a_learner_does_to_its_rows_is_its_own_affair(kind, cls, delay):
    X = BLOCKS[kind]
    before = repr(X.toarray() if kind == "sparse" else X)
    expected = prequential(LogisticRegression(), (X, Y), Accuracy(), delay=delay).value("Accuracy")
    for order in (("spoils", "ours"), ("ours", "spoils")):
        models = {"spoils": cls(), "ours": LogisticRegression()}
        report = prequential({k: models[k] for k in order}, (X, Y), Accuracy(), delay=delay)
        assert report.value("ours", "Accuracy") == expected
        assert repr(X.toarray() if kind == "sparse" else X) == before
    if kind == "dicts":
        prequential(cls(), zip(X, Y.tolist(), strict=True), Accuracy(), delay=delay)
        assert repr(X) == before


def test_sets_of_labels_are_copied_too():
    y = [{"p"}, {"q"}] * 25
    prequential({"spoils": Spoils(), "ours": PAMultilabel()}, (ROWS, y))
    assert y == [{"p"}, {"q"}] * 25


def test_rows_that_cannot_be_changed_are_taken():
    model = LogisticRegression()
    X = [MappingProxyType(row) for row in ROWS]
    prequential(model, (X, Y), delay=2)
    assert model.seen == 50


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"detector": ADWIN}, r"^prequential: detector=ADWIN is a class; make one: ADWIN\(\)\.$"),
        ({"detector": "ADWIN"}, r"^prequential: 'ADWIN' is no drift detector: it has no update_m"),
        ({"marks": {"a": "z"}}, r"a row of marks must be a whole number, got 'a'"),
        ({"marks": {-1: "z"}}, r"a row of marks must be at least 0, got -1"),
        ({"marks": {1.5: "z"}}, r"a row of marks must be a whole number, got 1\.5"),
    ],
)
def test_arguments_are_refused_before_anything_is_learned(more, message):
    model = LogisticRegression()
    with pytest.raises((TypeError, ValueError), match=message):
        prequential(model, (A, Y), **more)
    assert model.seen == 0


def test_marks_at_rows_of_numpy():
    report = prequential(LogisticRegression(), (A, Y), marks={np.int64(7): "here"})
    assert report.marks == {7: "here"}
    assert '"row":7' in report.to_json().replace(" ", "")


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("kind", ["dicts", "array", "lists"])
def test_a_tuple_of_examples_is_no_block(n, kind):
    stream = tuple(zip(BLOCKS[kind], Y.tolist(), strict=True))[:n]
    with pytest.raises(TypeError, match=rf"tuple is \(X, y\) .* got {n} items.* into a list"):
        prequential(LogisticRegression(), stream)
    assert prequential(LogisticRegression(), list(stream)).rows == n


def test_tuples_can_be_blocks():
    for X in (((1.0, 2.0), (3.0, 4.0)), ({"a": 1.0}, {"a": 2.0})):
        assert prequential(LogisticRegression(), (list(X), (0, 1))).rows == 2
        assert prequential(LogisticRegression(), (list(X), ("a", "b"), (1.0, 0.5))).rows == 2


def broken(n, item=None):
    """A source that fails after n examples, or yields something else there."""
    yield from zip(ROWS[:n], Y[:n].tolist(), strict=True)
    if item is None:
        raise OSError("the line is dead")
    yield item


@pytest.mark.parametrize("n", [0, 20])
def test_what_came_before_a_broken_item_is_learned(n):
    model = LogisticRegression()
    with pytest.raises(OSError, match="the line is dead"):
        prequential(model, broken(n))
    assert model.seen == n
    with pytest.raises(TypeError, match=rf"item {n} is 3"):
        prequential(model, broken(n, 3))
    assert model.seen == 2 * n


@pytest.mark.parametrize("delay", [0, 3])
def test_an_error_in_targets_or_answers_says_who_found_it(delay):
    class Odd(Mine):
        def predict_proba_one(self, x):
            return {0: 0.5, 1: 7.0} if len(self.weights) > 3 else {}

    row = 4 if delay == 0 else 7
    wanted = rf"^prequential: odd: row {row}: a probability must lie between 0 and 1, got 7"
    with pytest.raises(ValueError, match=wanted):
        prequential({"odd": Odd()}, (A, Y), LogLoss(), delay=delay)

    class Half(Mine):
        def predict_one(self, x):
            return 0.5 if len(self.weights) > 3 else 0

    with pytest.raises(TypeError, match=rf"^prequential: half: row {row}: a label must be"):
        prequential({"half": Half()}, (A, Y), Accuracy(), delay=delay)
    course = Prequential({"mine": Mine()}, Accuracy(), delay=delay)
    course.add(A[:10], Y[:10])
    with pytest.raises(TypeError, match=r"^prequential: row 11: labels are of one kind"):
        course.add(A[:3], [1, "a", 1])
    course = Prequential(LogisticRegression(), Accuracy(), delay=delay)
    course.add(A[:10], Y[:10])
    for y in (np.ma.array([0, 1], mask=[False, True]), [0, np.ma.masked]):
        with pytest.raises((TypeError, ValueError), match=r"row 11: .*missing"):
            course.add(A[:2], y)
