"""What holds whatever an example is: also where functions of the user say so."""

import copy
import pickle

import numpy as np
import pytest

from .table import Case
from .tools import fingerprint, reloaded, streams


def test_blocks_loops_and_copies(anything: Case) -> None:
    """The same in one block, one by one, and through files in the middle."""
    X, y = streams(anything, 60)[0]
    loop, block, tested, saved = (anything.make() for _ in range(4))
    told = []
    for x, target in zip(X, y.tolist(), strict=True):
        told.append(loop.predict_one(x))
        assert loop.learn_one(x, target) is None
        saved.learn_one(x, target)
        saved = reloaded(saved)
    block.learn_many(X, y)
    assert tested.predict_learn_many(X, y).tolist() == told
    for other in (block, tested, saved, copy.deepcopy(loop), pickle.loads(pickle.dumps(loop))):
        assert fingerprint(other) == fingerprint(loop)
    assert loop.seen == 60
    assert loop.memory_bytes > 0


def test_predictions_change_nothing(anything: Case) -> None:
    X, y = streams(anything, 60)[0]
    model = anything.make()
    model.learn_many(X[:30], y[:30])
    before = fingerprint(model)
    one = [model.predict_one(x) for x in X]
    assert model.predict_many(X).tolist() == one
    assert len(model.score_many(X)) == 60
    model.score_one(X[0])
    assert fingerprint(model) == before


def test_weights_of_zero_and_bad_ones(anything: Case) -> None:
    X, y = streams(anything, 20)[0]
    model = anything.make()
    model.learn_many(X[:10], y[:10])
    before = fingerprint(model)
    model.learn_one(X[10], y[10], 0.0)
    model.learn_many(X[10:], y[10:], np.zeros(10))
    assert fingerprint(model) == before
    for bad in (-1.0, np.nan, np.inf, "1", None):
        with pytest.raises((TypeError, ValueError), match=f"^{anything.name}: .*w"):
            model.learn_one(X[10], y[10], bad)
        with pytest.raises((TypeError, ValueError), match=f"^{anything.name}: .*w"):
            model.learn_many(X[10:12], y[10:12], [1.0, bad])
        assert fingerprint(model) == before


def test_clones_and_warm_starts(anything: Case) -> None:
    X, y = streams(anything, 40)[0]
    model = anything.make()
    model.learn_many(X, y)
    clone = model.clone()
    assert clone.seen == 0
    assert clone.params == model.params
    assert fingerprint(clone) == fingerprint(anything.make())
    assert repr(model).startswith(f"{anything.name}(")
    if anything.has("init"):
        assert fingerprint(anything.make(init=model)) == fingerprint(model)


def test_it_learns(given: Case) -> None:
    """The score of its line, if the other tests of that do not ask it."""
    X, y = given.line.stream()
    told = given.make().predict_learn_many(X, y)
    right = np.mean([a == b for a, b in zip(told[100:], y[100:], strict=True)])
    assert right >= given.line.score
