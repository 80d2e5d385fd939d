"""Every statistic against NumPy on all values at once."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from onstream.base import NotMergeable, parts
from onstream.persist import dumps, loads
from onstream.stats import (
    EWMA,
    Count,
    Max,
    Mean,
    Min,
    Quantile,
    RollingMax,
    RollingMin,
    Sum,
    Variance,
)
from onstream.stats.base import Statistic
from onstream.stats.sketches import Sketch

from ..docstrings import check_defaults, check_examples

CLASSES = [cls for cls in parts().values() if issubclass(cls, (Statistic, Sketch))]
STATISTICS = [
    *(cls() for cls in CLASSES if issubclass(cls, Statistic)),
    EWMA(alpha=1.0),
    RollingMin(window=3),
    RollingMax(window=1),
    Quantile(theta=0.9),
    Quantile(theta=0.1, method="sgd", eta=0.5),
]
each = pytest.mark.parametrize("statistic", STATISTICS, ids=repr)
each_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
values = hnp.arrays(
    np.float64, st.integers(0, 60), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
)


def of(statistic: Any, numbers: Any, w: Any = None) -> Any:
    statistic = statistic.clone()
    statistic.update_many(numbers, w)
    return statistic


def close(a: float, b: float, scale: float = 1.0) -> bool:
    return a == pytest.approx(b, rel=1e-9, abs=1e-12 * scale)


@each
def test_weights_of_any_size_leave_a_statistic_that_loads(statistic: Any) -> None:
    """Where weights differ by 1e16, a sum of squares may not be rounded below 0."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        weights = 10.0 ** rng.uniform([-13, 5, 23], [-11, 7, 25])
        one = of(statistic, 10.0 ** rng.uniform(-4, 4, 3), weights)
        assert dumps(loads(dumps(one))) == dumps(one)


# -- against the batch ---------------


@given(values)
def test_moments(v):
    scale = max(1.0, np.abs(v).max(initial=0.0))
    assert of(Count(), v).value == len(v)
    assert of(Sum(), v).value == pytest.approx(math.fsum(v), rel=1e-15, abs=0.0)
    assert close(of(Mean(), v).value, v.mean() if len(v) else 0.0, scale)
    variance = of(Variance(), v)
    assert close(variance.value, v.var(ddof=1) if len(v) > 1 else 0.0, scale**2)
    assert close(variance.mean, v.mean() if len(v) else 0.0, scale)
    assert variance.std == math.sqrt(variance.value)


@given(values)
def test_extremes(v):
    assert of(Min(), v).value == (v.min() if len(v) else None)
    assert of(Max(), v).value == (v.max() if len(v) else None)


@given(values, st.integers(1, 20))
def test_extremes_of_a_window(v, window):
    lowest, highest = RollingMin(window=window), RollingMax(window=window)
    for i, value in enumerate(v.tolist()):
        lowest.update(value)
        highest.update(value)
        latest = v[max(0, i + 1 - window) : i + 1]
        assert (lowest.value, highest.value) == (latest.min(), latest.max())


def test_a_window_costs_amortised_constant_memory_and_time():
    rising = RollingMin(window=100)
    rising.update_many(np.arange(10_000.0))
    assert rising.value == 9900.0
    assert len(rising._state.export()["values"]) == 100
    falling = of(rising, -np.arange(10_000.0))
    assert len(falling._state.export()["values"]) == 1


@given(values, st.floats(0.01, 1.0))
def test_moving_average(v, alpha):
    weights = (1.0 - alpha) ** np.arange(len(v))[::-1]
    expected = (weights * v).sum() / weights.sum() if len(v) else 0.0
    scale = np.abs(v).max(initial=0.0)
    assert of(EWMA(alpha=alpha), v).value == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)


def test_welford_at_an_offset_of_a_billion():
    v = 1e9 + np.array([4.0, 7.0, 13.0, 16.0])
    assert of(Variance(), v).value == 30.0
    rng = np.random.default_rng(0)
    noise = rng.normal(size=100_000)
    noise = (1e9 + noise) - 1e9
    assert of(Variance(), 1e9 + noise).value == pytest.approx(noise.var(ddof=1), rel=1e-9)


def test_vectors():
    v = [2, 4, 4, 4, 5, 5, 7, 9]
    assert of(Variance(), v).mean == 5.0
    assert of(Variance(), v)._state.export()["m2"] == 32.0
    weighted = of(Variance(), v, [1, 2, 0, 1, 3, 1, 1, 1])
    assert weighted.mean == pytest.approx(5.0, rel=1e-15)
    assert weighted._state.export()["m2"] / weighted.n == pytest.approx(3.2, rel=1e-14)


@pytest.mark.parametrize("theta", [0.05, 0.25, 0.5, 0.9, 0.99])
def test_quantiles_are_near(theta):
    rng = np.random.default_rng(1)
    v = rng.normal(size=50_000)
    p2 = of(Quantile(theta=theta), v).value
    assert (v <= p2).mean() == pytest.approx(theta, abs=0.01)
    sgd = of(Quantile(theta=theta, method="sgd", eta=0.005), v).value
    assert (v <= sgd).mean() == pytest.approx(theta, abs=0.03)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=5), st.floats(0.01, 0.99))
def test_p2_is_exact_up_to_five_values(v, theta):
    assert of(Quantile(theta=theta), v).value == pytest.approx(
        np.quantile(v, theta), rel=1e-12, abs=1e-9
    )


def test_p2_example_of_the_paper():
    """Jain & Chlamtac, table I: the median of 20 values comes out as 4.44."""
    v = [0.02, 0.15, 0.74, 3.39, 0.83, 22.37, 10.15, 15.43, 38.62, 15.92]
    v += [34.60, 10.28, 1.47, 0.40, 0.05, 11.39, 0.27, 0.42, 0.09, 11.37]
    assert of(Quantile(), v).value == pytest.approx(4.44, abs=0.005)


def test_sgd_quantile_follows_drift():
    rng = np.random.default_rng(2)
    median = of(Quantile(method="sgd", eta=0.1), rng.normal(size=5000))
    median.update_many(10.0 + rng.normal(size=5000))
    assert median.value == pytest.approx(10.0, abs=0.3)


# -- merging ---------------

MERGEABLE = [Count, Sum, Mean, Variance, Min, Max]


@pytest.mark.parametrize("cls", MERGEABLE, ids=lambda cls: cls.__name__)
@given(values, values, values)
def test_merging_is_learning_all_and_associative(cls, a, b, c):
    whole = of(cls(), np.concatenate([a, b, c]))
    left, right = of(cls(), a), of(cls(), b)
    left.merge(of(cls(), b))
    left.merge(of(cls(), c))
    right.merge(of(cls(), c))
    first = of(cls(), a)
    first.merge(right)
    scale = max(1.0, *(np.abs(v).max(initial=0.0) for v in (a, b, c))) ** 2
    for merged in (left, first):
        assert merged.n == whole.n
        if whole.value is None:
            assert merged.value is None
        else:
            assert close(merged.value, whole.value, scale)


def test_what_cannot_be_merged_says_why():
    for statistic in (EWMA(), RollingMin(), Quantile(), Quantile(method="sgd")):
        with pytest.raises(NotMergeable, match=type(statistic).__name__):
            statistic.merge(statistic.clone())
    for other in (Mean(), 3, None):
        with pytest.raises(NotMergeable):
            Variance().merge(other)
    with pytest.raises(NotMergeable):
        EWMA(alpha=0.1).merge(EWMA(alpha=0.2))
    mean = Mean()
    with pytest.raises(NotMergeable, match="itself"):
        mean.merge(mean)


# -- the common interface ---------------


def test_an_average_that_would_never_move_is_refused():
    with pytest.raises(ValueError, match="EWMA: alpha must be at least 1e-12"):
        EWMA(alpha=1e-17)
    slow = of(EWMA(alpha=1e-12), [1e100, 1e100])
    assert loads(dumps(slow)).value == slow.value


@each
@given(values, st.integers(0, 60))
def test_many_is_the_loop_and_copies_go_on(statistic, v, at):
    one, many = statistic.clone(), statistic.clone()
    for value in v.tolist():
        one.update(value)
    many.update_many(v[:at])
    copies = [pickle.loads(pickle.dumps(many)), loads(dumps(many))]
    many.update_many(v[at:])
    assert dumps(one) == dumps(many)
    assert one.value == one.get() == many.value
    for copy in copies:
        copy.update_many(v[at:])
        assert dumps(copy) == dumps(many)


@each
def test_weights(statistic):
    v = [3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 9.0]
    twice, weighted, nothing = (of(statistic, v) for _ in range(3))
    nothing.update(7.0, 0.0)
    nothing.update_many([8.0, 9.0], [0.0, 0])
    assert dumps(nothing) == dumps(of(statistic, v))
    if not isinstance(statistic, (RollingMin, RollingMax, Quantile)):
        twice.update_many([6.0, 6.0])
        weighted.update(6.0, 2)
        assert weighted.n == twice.n == 9.0
        assert weighted.value == pytest.approx(twice.value, rel=1e-14)


@each
def test_bad_values_change_nothing(statistic):
    statistic = of(statistic, [1.0, 2.0, 4.0])
    before = dumps(statistic)
    for bad in (math.nan, math.inf, -math.inf, 10**400, 1e200, "1", None, b"1", [1.0], 1j):
        for call in (
            lambda bad=bad: statistic.update(bad),
            lambda bad=bad: statistic.update_many([0.0, bad, 1.0]),
            lambda bad=bad: statistic.update(1.0, bad),
            lambda bad=bad: statistic.update_many([0.0, 1.0], [1.0, bad]),
        ):
            with pytest.raises((TypeError, ValueError), match=f"^{type(statistic).__name__}: "):
                call()
            assert dumps(statistic) == before
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for call in (
        lambda: statistic.update_many(masked),
        lambda: statistic.update_many([1.0, 2.0], masked),
    ):
        with pytest.raises(ValueError, match=f"^{type(statistic).__name__}: row 1: .* masked"):
            call()
        assert dumps(statistic) == before
    for call in (lambda: statistic.update(1.0, -1.0), lambda: statistic.update_many([1.0], [1, 2])):
        with pytest.raises(ValueError, match=f"^{type(statistic).__name__}: "):
            call()
    assert dumps(statistic) == before


@each
def test_broken_states_are_refused(statistic):
    fields = of(statistic, [1.0, 2.0, 4.0, 0.5, 3.0, 9.0, 8.0])._state.export()
    for name, value in fields.items():
        others = {n: v for n, v in fields.items() if n != name}
        broken = [others, {**others, name: "x"}, {**fields, "more": 1}]
        if isinstance(value, np.ndarray) and value.dtype == np.float64:
            broken += [{**others, name: np.full_like(value, np.nan)}, {**others, name: value[1:]}]
        for bad in broken:
            with pytest.raises(ValueError):
                statistic.clone()._restore(bad)


@each
def test_face(statistic):
    clone = statistic.clone()
    assert clone == statistic
    assert eval(repr(statistic), {cls.__name__: cls for cls in CLASSES}) == statistic
    assert clone.n == 0.0
    assert clone.value in (0.0, None)
    for name in statistic.params:
        with pytest.raises(AttributeError, match="clone"):
            setattr(statistic, name, 1)


@each_class
def test_docstrings(cls):
    check_defaults(cls)
    check_examples(cls)


def test_ewma_forgets_its_start_for_good():
    """What the start still weighs becomes 0, not the smallest of all numbers, which is slow."""
    ewma = EWMA(alpha=0.5)
    m = 0.0
    for i in range(2000):
        ewma.update(float(i % 7))
        m += 0.5 * (i % 7 - m)
    assert ewma.value == m
    assert ewma._state.export()["left"] == 0.0
