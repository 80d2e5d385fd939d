"""`hash_bits`: memory stays fixed, every kind of input meets the same slots."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from onstream import LinearRegression

from ..allocated import left_by
from .table import Case
from .tools import (
    KINDS,
    assert_close,
    dicts,
    fingerprint,
    reloaded,
    slot_weights,
    some_rows,
    streams,
    targets,
)


@pytest.mark.usefixtures("young_objects_only")
def test_memory_is_fixed(hashed: Case) -> None:
    model = hashed.make(hash_bits=8)
    y = targets(hashed, 3).tolist()
    if hashed.takes_labels:
        y = ["a", "b", "c"]
    for i, target in enumerate(y):
        model.learn_one({f"first {i} {j}": 1.0 for j in range(10)}, target)
    model.learn_many([{f"block {j}": 1.0 for j in range(10)}] * 2, y[:2])
    model.predict_one({f"asked {j}": 1.0 for j in range(10)})
    before = model.memory_bytes

    def more_of_the_stream() -> None:
        for i in range(1000):
            x = {f"new {i} {j}": 1.0 for j in range(10)}
            model.learn_one(x, y[i % 3])
            model.predict_one(x)
            if i % 100 == 0:
                model.learn_many([x, {f"in a block {i} {j}": "text" for j in range(10)}], y[:2])

    left = left_by(more_of_the_stream, 4000)
    assert model.memory_bytes == before
    assert left[-1] < 4000, left


def test_every_kind_meets_the_same_slots(hashed: Case) -> None:
    for kind, bits in product(KINDS, (1, 3, 8)):
        asked = some_rows()
        for stream in streams(hashed, 60):
            model, rows = hashed.make(hash_bits=bits), hashed.make(hash_bits=bits)
            model.learn_many(KINDS[kind](stream.X), stream.y)
            for x, y in zip(dicts(stream.X), stream.y, strict=True):
                rows.learn_one(x, y)
            assert_close(model.score_many(asked), rows.score_many(dicts(asked)))
            assert_close(model.score_many(KINDS[kind](asked)), rows.score_many(asked))


def test_without_collisions_hashing_changes_nothing(hashed: Case) -> None:
    """With so many slots the ten features do not collide, and signs cancel."""
    for stream in streams(hashed, 100):
        model, plain = hashed.make(hash_bits=9), hashed.make(hash_bits=None)
        seeds = iter(range(100))
        while len(slots(model, stream.X.shape[1])) < stream.X.shape[1]:
            model = hashed.make(hash_bits=9, hash_seed=next(seeds))
        model.learn_many(stream.X, stream.y)
        plain.learn_many(stream.X, stream.y)
        assert_close(model.score_many(stream.X), plain.score_many(stream.X))


def slots(model: Any, n: int) -> set[int]:
    """The slots of the features 0 ... n-1."""
    probe = LinearRegression(hash_bits=model.hash_bits, hash_seed=model.hash_seed)
    probe.learn_many([{i: 1.0} for i in range(n)], 1.0 + np.arange(n))  # no weight stays 0
    return set(probe.weights)


def test_the_seed_changes_the_slots(hashed: Case) -> None:
    stream = streams(hashed, 100)[0]
    prints, known = set(), set()
    for seed in (0, 1, 2**64 - 1):
        model = hashed.make(hash_bits=6, hash_seed=seed)
        model.learn_many(stream.X, stream.y)
        prints.add(fingerprint(model))
        known.add(tuple(slot_weights(model)))
    assert len(prints) == len(known) == 3


def test_weights_of_slots(hashed: Case) -> None:
    model = hashed.make(hash_bits=6)
    stream = streams(hashed, 100)[0]
    model.learn_many(stream.X, stream.y)
    assert all(type(slot) is int and 0 <= slot < 64 for slot in slot_weights(model))
    assert 1 <= len(slot_weights(model)) <= stream.X.shape[1]


def test_bad_numbers_of_bits(hashed: Case) -> None:
    for bits in (0, -1, 64, 32, 1.5, "8", True):
        with pytest.raises((TypeError, ValueError), match=f"^{hashed.name}: hash_bits"):
            hashed.make(hash_bits=bits)


def test_bad_seeds(hashed: Case) -> None:
    for seed in (-1, 2**64, 0.5, "0", None):
        with pytest.raises((TypeError, ValueError), match=f"^{hashed.name}: hash_seed"):
            hashed.make(hash_seed=seed)


def test_the_largest_seed_goes_to_disk_and_back(hashed: Case) -> None:
    model = hashed.make(hash_bits=4, hash_seed=2**64 - 1)
    model.learn_one({"a": 1.0}, targets(hashed, 1)[0])
    assert reloaded(model).params == model.params
    assert reloaded(model).score_one({"a": 1.0}) == model.score_one({"a": 1.0})


def test_huge_values_that_do_not_collide_are_accepted_by_every_kind(hashed: Case) -> None:
    """Whether a sum overflows depends on what collides, not on how many columns there are."""
    X = np.zeros((2, 40))
    X[0, 0] = 1e307
    for model in (hashed.make(hash_bits=10), hashed.make(hash_bits=2)):
        told = [model.score_many(KINDS[kind](X)) for kind in ("dicts", "dense", "CSR", "arrow")]
        for scores in told:
            np.testing.assert_array_equal(scores, told[0])


def test_features_that_overflow_together_leave_no_trace(hashed: Case) -> None:
    """Sums of colliding features stop at the largest double: refused by row, or harmless."""
    huge = np.array([np.zeros(40), np.full(40, 1.7e308)])
    rows = [{}, {f"f{j}": 1.7e308 for j in range(40)}]
    for X in (rows, huge, KINDS["CSR"](huge)):
        model = hashed.make(hash_bits=1)
        refusal = ""
        try:
            model.learn_many(X, targets(hashed, 2))
        except ValueError as error:
            refusal = str(error)
        assert not refusal or refusal.startswith(f"{hashed.name}: row 1: ")
        assert np.isfinite(list(slot_weights(model).values())).all()
        assert np.isfinite(model.score_many(X)).all()
