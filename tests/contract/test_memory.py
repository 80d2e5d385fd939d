"""`memory_bytes` is what the allocator says, C buffers included, within 10 %."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ..allocated import left_by, without_threads
from .table import Case
from .tools import grows

pytestmark = pytest.mark.usefixtures("young_objects_only")

Teacher = Callable[[Case, Any, int], None]


def label(case: Case, i: int, n: int = 2) -> Any:
    return f"label {i % n}" if case.takes_labels else float(i % n)


def named_features(case: Case, model: Any, features: int) -> None:
    for i in range(features // 10):
        model.learn_one({f"feature {i} {j}": 1.0 for j in range(10)}, label(case, i))


def numbered_features(case: Case, model: Any, features: int) -> None:
    for i in range(features // 10):
        model.learn_one({1000 + 10 * i + j: 1.0 for j in range(10)}, label(case, i))


def nominal_features(case: Case, model: Any, features: int) -> None:
    rows = [{"word": f"the word number {i}", "other": f"{i}"} for i in range(features // 2)]
    model.learn_many(rows, [label(case, i) for i in range(len(rows))])


def one_wide_row(case: Case, model: Any, features: int) -> None:
    model.learn_one({f"feature {i}": 1.0 for i in range(features)}, label(case, 0))
    model.predict_one({f"feature {i}": 1.0 for i in range(features)})


def columns(case: Case, model: Any, features: int) -> None:
    model.learn_many(np.ones((4, features)), [label(case, i) for i in range(4)])


def many_labels(case: Case, model: Any, features: int) -> None:
    rows = [{f"feature {i % 50}": 1.0} for i in range(300)]
    model.learn_many(rows, [label(case, i, 200) for i in range(300)])
    model.predict_many(rows[:3])


TEACHERS = [named_features, numbered_features, nominal_features, one_wide_row, columns, many_labels]


def grows_with_the_square(case: Case, teach: Any = columns) -> bool:
    """Does it hold a matrix of features by features, or of features by what it is taught?"""
    sizes = []
    for features in (200, 400):
        model = case.cls()
        teach(case, model, features)
        sizes.append(model.memory_bytes)
    return bool(sizes[1] > 3 * sizes[0])


def assert_counted(make: Callable[[], Any], teach: Callable[[Any], None]) -> None:
    """Other threads and caches of Python may add to one measurement, but not to three."""
    for attempts_left in (2, 1, 0):
        gc.collect()
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            model = make()
            without_threads(lambda model=model: teach(model))
            gc.collect()
            held = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        counted = pytest.approx(held, rel=0.1, abs=1000)  # Python keeps caches
        if model.memory_bytes == counted:
            return
        assert attempts_left or model.memory_bytes == counted


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize("teach", TEACHERS)
def test_memory_is_what_the_allocator_says(learner: Case, teach: Teacher) -> None:
    features = 400 if grows_with_the_square(learner, teach) else 2000
    teach(learner, learner.make(), features)  # imports and caches of Python are not the model's
    assert_counted(learner.make, lambda model: teach(learner, model, features))


def test_hashed_memory_is_what_the_allocator_says(hashed: Case) -> None:
    bits = 8 if grows_with_the_square(hashed) else 14
    assert_counted(
        lambda: hashed.make(hash_bits=bits), lambda model: named_features(hashed, model, 2000)
    )


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # arrays after mappings
def test_memory_is_given_back(learner: Case) -> None:
    """Nothing stays behind when models die: not after errors, not after copies."""

    def life() -> None:
        model = learner.make()
        named_features(learner, model, 300)
        model.learn_many(np.ones((3, 5)), [label(learner, i, 3) for i in range(3)])
        for bad in ({"a": float("inf")}, {"a": []}):
            with pytest.raises((TypeError, ValueError)):
                model.learn_many([{"new": 1.0}, bad], [label(learner, i) for i in range(2)])
        model.clone().learn_many([{"x": "text"}] * 2, [label(learner, i) for i in range(2)])
        learner.make(init=model).predict_many([{"x": 1.0}])

    def five_lives() -> None:
        for _ in range(5):
            life()

    five_lives()
    left = left_by(five_lives, 3000)
    assert left[-1] < 3000, left


def test_refused_examples_take_no_memory(learner: Case) -> None:
    model = learner.make()
    named_features(learner, model, 50)
    held = []
    for i in range(300):
        x = {**{f"new {i} {j}": 1.0 for j in range(20)}, "bad": float("inf")}
        with pytest.raises(ValueError, match="bad"):
            model.learn_one(x, label(learner, i))
        with pytest.raises(ValueError, match="bad"):
            model.learn_many([x], [label(learner, i)])
        held.append(model.memory_bytes)
    assert held == [held[0]] * 300


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # arrays after mappings
@pytest.mark.parametrize("rows", [300, 30_000])  # few: checked as a whole; many: block by block
def test_labels_of_a_refused_block_take_no_memory(plain_labelled: Case, rows: int) -> None:
    if grows(plain_labelled):
        pytest.skip("it keeps every example")
    X = np.random.default_rng(0).normal(size=(rows, 5))
    X[-1, 3] = np.inf
    refused, other = plain_labelled.make(), plain_labelled.make()
    for model in (refused, other):  # wide, so that few rows weigh less than the model
        model.learn_one({f"feature {j}": 1.0 for j in range(1000)}, 0)
        model.learn_many(X[:20], [i % 2 for i in range(20)])
    with pytest.raises(ValueError, match=f"row {rows - 1}"):
        refused.learn_many(X, np.arange(rows) % 250)
    for model in (refused, other):
        model.learn_one(X[0], 2)
    assert refused.memory_bytes <= 1.02 * other.memory_bytes + 256
