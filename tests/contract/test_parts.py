"""What detectors, statistics and sketches share. All that the registry knows are tested."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onstream.base import NotMergeable, parts
from onstream.drift import ADWIN, HDDM, KSWIN, PageHinkley
from onstream.drift.base import Detector
from onstream.persist import dumps, loads
from onstream.stats import KLL, Quantile, Reservoir
from onstream.stats.base import Statistic
from onstream.stats.sketches import Sketch

PARTS = [
    *(cls() for cls in parts().values() if hasattr(cls, "update_many")),
    ADWIN(rigorous=True),
    HDDM(test="W", two_sided=True),
    KSWIN(window=40, stat_size=10),
    PageHinkley(mode="both", lam=5.0),
    Quantile(method="sgd"),
    KLL(k=8),
    Reservoir(k=5),
]
DRAWN = (KLL, Reservoir)  # the package of sketches draws its own random numbers
BAD = [None, "x", b"x", [1.0], {}, object(), float("nan"), float("inf"), -float("inf"), 1e101]


@pytest.fixture(params=PARTS, ids=repr)
def part(request: pytest.FixtureRequest) -> Any:
    return request.param.clone()


def parts_that(applies: Callable[[Any], bool]) -> Any:
    """Give a test only the parts that it applies to."""
    return pytest.mark.parametrize("part", [*filter(applies, PARTS)], indirect=True, ids=repr)


def values_of(part: Any, n: int, seed: int = 0) -> list[Any]:
    """Values that it takes: 0 and 1 are errors, numbers and items alike."""
    values = (np.random.default_rng(seed).random(n) < np.linspace(0.2, 0.8, n)).astype(int).tolist()
    return values if isinstance(part, Detector) else [7 * v + i % 5 for i, v in enumerate(values)]


def weights_of(part: Any, n: int) -> list[Any] | None:
    """Weights, for those that take some; whole ones suit all."""
    return None if isinstance(part, Detector) else [i % 3 for i in range(n)]


def fill(part: Any, n: int, seed: int = 0) -> Any:
    """The same, after n values."""
    args = [values_of(part, n, seed)]
    weights = weights_of(part, n)
    part.update_many(*args, *([] if weights is None else [weights]))
    return part


def told(part: Any) -> dict[str, Any]:
    """All that its properties say."""
    kind = type(part)
    names = [name for name in dir(kind) if isinstance(getattr(kind, name), property)]
    return {name: getattr(part, name) for name in names if name != "memory_bytes"}


def test_they_are_all_here() -> None:
    classes = {type(part) for part in PARTS}
    assert {c for c in parts().values() if issubclass(c, (Detector, Statistic, Sketch))} <= classes


@pytest.mark.parametrize("n", [0, 1, 5, 200])
def test_copies_are_the_same_and_go_on(part: Any, n: int) -> None:
    fill(part, n)
    before = dumps(part)
    copies = [loads(before), pickle.loads(pickle.dumps(part)), copy.deepcopy(part), copy.copy(part)]
    for again in copies:
        assert again == part
        assert dumps(again) == before
        assert told(again) == told(part)
        fill(again, 100, seed=1)
    assert dumps(part) == before  # a copy is not the part itself
    if not isinstance(part, DRAWN):
        fill(part, 100, seed=1)
        for again in copies:
            assert dumps(again) == dumps(part)


def test_reading_leaves_no_trace(part: Any) -> None:
    fill(part, 200)
    before = dumps(part)
    assert told(part) == told(part)
    repr(part), hash(part), part.clone(), part.params
    assert dumps(part) == before


def test_a_clone_has_taken_nothing(part: Any) -> None:
    fresh = dumps(part)
    assert dumps(fill(part, 50).clone()) == fresh


def test_many_are_one_by_one(part: Any) -> None:
    loop = part.clone()
    values, weights = values_of(part, 200), weights_of(part, 200)
    fill(part, 200)
    if isinstance(part, Detector):
        for v in values:
            loop.update(v)
    else:
        for v, w in zip(values, weights or [], strict=True):
            loop.update(v, w)
    if isinstance(part, DRAWN):
        assert loop.n == part.n
    else:
        assert dumps(loop) == dumps(part)
        assert told(loop) == told(part)


def test_a_refused_value_leaves_no_trace(part: Any) -> None:
    fill(part, 60)
    before, values = dumps(part), values_of(part, 10)
    refused = 0
    for bad in BAD:
        if bad == "x" and isinstance(part, Sketch) and not isinstance(part, KLL):
            continue  # an item like any other
        if bad == 1e101 and isinstance(part, KLL):
            continue  # it keeps values as they are
        refused += 1
        with pytest.raises((TypeError, ValueError), match=f"^{type(part).__name__}: "):
            part.clone().update(bad)
        for give in (
            lambda bad=bad: part.update(bad),
            lambda bad=bad: part.update_many([*values, bad]),
            lambda bad=bad: part.update_many([bad, *values]),
        ):
            with pytest.raises((TypeError, ValueError)):
                give()
            assert dumps(part) == before, bad
    assert refused >= 7


@parts_that(lambda part: not isinstance(part, Detector))
def test_a_refused_weight_leaves_no_trace(part: Any) -> None:
    fill(part, 60)
    before, values = dumps(part), values_of(part, 3)
    for bad in (None, "x", -1.0, float("nan"), float("inf"), 1e101):
        with pytest.raises((TypeError, ValueError)):
            part.update(values[0], bad)
        with pytest.raises((TypeError, ValueError)):
            part.update_many(values, [1.0, 1.0, bad])
    for few in ([], [1.0], [1.0] * 4):
        with pytest.raises(ValueError, match="weights"):
            part.update_many(values, few)
    part.update(values[0], 0.0)
    part.update_many([])
    assert dumps(part) == before


@parts_that(lambda part: not isinstance(part, Sketch))
def test_a_number_of_another_kind_is_the_same_number(part: Any) -> None:
    values = [1, 0, 1, 1, 0]
    part.update_many(values)
    for other in (
        np.array(values),
        np.array(values, dtype=np.float32),
        np.array(values, dtype=bool),
        np.array([*values, *values])[::2] * 0 + np.array(values),
        tuple(values),
        [np.float64(v) for v in values],
        [bool(v) for v in values],
    ):
        again = part.clone()
        again.update_many(other)
        assert dumps(again) == dumps(part)
        loop = part.clone()
        for v in other:
            loop.update(v)
        assert dumps(loop) == dumps(part)


@parts_that(lambda part: hasattr(part, "merge"))
def test_merging(part: Any) -> None:
    one, two = fill(part.clone(), 120), fill(part.clone(), 80, seed=1)
    n, before, other = one.n + two.n, dumps(one), dumps(two)
    try:
        one.merge(two)
    except NotMergeable:
        assert dumps(one) == before
    else:
        assert one.n == n
        again = loads(before)
        again.merge(loads(other))
        if not isinstance(part, DRAWN):
            assert dumps(again) == dumps(one)
        assert dumps(loads(dumps(one))) == dumps(one)
        fill(one, 50)
        empty = part.clone()
        empty.merge(two)
        assert empty.n == two.n
        later = dumps(two)
        two.merge(part.clone())
        assert dumps(two) == later == other  # nothing more; and the other one is as it was
    for wrong in (one, 3, None, KLL(k=9), Quantile(theta=0.3)):
        before = dumps(one)
        with pytest.raises(NotMergeable):
            one.merge(wrong)
        assert dumps(one) == before


def test_parameters_are_fixed(part: Any) -> None:
    for name, value in part.params.items():
        with pytest.raises(AttributeError, match="fixed from the start"):
            setattr(part, name, value)
