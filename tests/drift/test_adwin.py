"""ADWIN against the same on plain lists, and the properties of the specification."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.drift import ADWIN

from ..oracles.adwin import ADWIN as Plain
from ..oracles.adwin import epsilon_cut


def bernoulli(seed: int, *parts: tuple[int, float]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([(rng.random(n) < p).astype(float) for n, p in parts])


levels = st.lists(
    st.tuples(
        st.integers(1, 150),
        st.floats(-100.0, 100.0),
        st.just(0.0) | st.floats(1e-100, 5.0),  # squares of less are rounded away
    ),
    min_size=1,
    max_size=5,
)


def stream(parts: list[tuple[int, float, float]], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([level + noise * rng.normal(size=n) for n, level, noise in parts])


@pytest.mark.parametrize("offset", [1e9, 1e12])
def test_a_large_mean_makes_no_false_cut(offset):
    """The same cuts as without it; the offset is taken away without rounding."""
    far, near = ADWIN(delta=0.5), ADWIN(delta=0.5)
    for v in (np.random.default_rng(0).normal(size=30_000) + offset).tolist():
        assert far.update(v) == near.update(v - offset)
    assert far.width == near.width


@given(levels, st.integers(0, 99), st.sampled_from([0.002, 0.05, 0.5]))
def test_window_and_alarms_are_those_of_the_plain_list(parts, seed, delta):
    detector, plain = ADWIN(delta=delta), Plain(delta)
    for v in stream(parts, seed).tolist():
        assert detector.update(v) == plain.update(v) == detector.drift
        assert detector.width == len(plain.items)
        scale = max(map(abs, plain.items))
        assert detector.mean == pytest.approx(plain.mean, rel=1e-12, abs=1e-12 * scale)
        assert detector.variance == pytest.approx(plain.variance, rel=1e-9, abs=1e-12 * scale**2)


@given(levels, st.integers(0, 99))
def test_the_window_is_the_true_last_items(parts, seed):
    values = stream(parts, seed)
    detector = ADWIN(delta=0.2)
    detector.update_many(values)
    last = values[len(values) - detector.width :]
    scale = np.abs(last).max()
    assert detector.mean == pytest.approx(last.mean(), rel=1e-12, abs=1e-12 * scale)
    assert detector.variance == pytest.approx(last.var(), rel=1e-9, abs=1e-12 * scale**2)


@given(levels, st.integers(0, 99))
def test_buckets(parts, seed):
    detector = ADWIN(delta=0.2)
    detector.update_many(stream(parts, seed))
    fields, n = detector._state.export(), detector.width
    counts = fields["counts"].astype(int)
    rows = [row[:count].tolist() for row, count in zip(fields["buckets"], counts, strict=True)]
    assert sum(len(row) << i for i, row in enumerate(rows)) == n
    assert all(len(row) <= 5 for row in rows)
    assert sum(map(len, rows)) <= 5 * (math.log2(n / 5 + 1) + 1)
    total = math.fsum(s for row in rows for s, _ in row)
    assert total == pytest.approx(n * detector.mean, rel=1e-9, abs=1e-9)


def test_epsilon_cut():
    """The vector of the specification, of the oracle that the detector is held to."""
    assert epsilon_cut(500, 500, 0.25, 0.002, 1000) == pytest.approx(0.156544, abs=5e-7)


@pytest.mark.parametrize("seed", range(100))
def test_a_change_is_found_within_96_items(seed):
    alarms = ADWIN().update_many(bernoulli(seed, (1000, 0.2), (1000, 0.8)))
    after = alarms[alarms >= 1000]
    assert len(after)
    assert after[0] < 1000 + 96


def test_few_false_alarms():
    streams = (bernoulli(seed, (5000, 0.3)) for seed in range(60))
    assert sum(len(ADWIN().update_many(values)) for values in streams) <= 2


@pytest.mark.slow
def test_ten_million_items_without_a_change():
    """At most 10 false alarms per million items."""
    rng = np.random.default_rng(0)
    detector, alarms = ADWIN(), 0
    for _ in range(10):
        alarms += len(detector.update_many((rng.random(1_000_000) < 0.3).astype(float)))
    assert alarms <= 100
    assert detector.memory_bytes < 5000


def test_rigorous_is_later_and_as_promised():
    values = bernoulli(1, (1000, 0.2), (1000, 0.8))
    plain, rigorous = ADWIN(), ADWIN(rigorous=True)
    first, later = plain.update_many(values)[0], rigorous.update_many(values)[0]
    assert 1000 <= first <= later < 1200
    streams = (bernoulli(seed, (5000, 0.3)) for seed in range(20))
    assert sum(len(ADWIN(rigorous=True).update_many(v)) for v in streams) == 0
    # |mu0 - mu1| = 0.5 against sqrt(ln(4n / delta) / 2m): the first check where it is larger
    halves = np.concatenate([np.zeros(320), np.full(320, 0.5)])
    n1 = next(
        n1
        for n1 in range(32, 320, 32)
        if math.sqrt((1 / 320 + 1 / n1) / 2 * math.log(4 * (320 + n1) / 0.002)) < 0.5
    )
    assert ADWIN(rigorous=True).update_many(halves)[0] == 320 + n1 - 1


def test_many_is_the_loop():
    values = bernoulli(3, (700, 0.2), (700, 0.7))
    one, many = ADWIN(), ADWIN()
    alarms = [i for i, v in enumerate(values.tolist()) if one.update(v)]
    np.testing.assert_array_equal(many.update_many(values), alarms)
    assert pickle.dumps(one) == pickle.dumps(many)


def test_small_values_after_huge_ones_keep_their_variance():
    rng = np.random.default_rng(0)
    small = rng.normal(size=400)
    detector = ADWIN()
    detector.update_many(np.concatenate([1e12 + rng.normal(size=400), small]))
    assert detector.width <= 400
    last = small[400 - detector.width :]
    assert detector.variance == pytest.approx(last.var(), rel=1e-9)


def test_checks_come_with_every_32nd_value():
    alarms = ADWIN().update_many(bernoulli(5, (2000, 0.1), (2000, 0.9), (2000, 0.3)))
    assert len(alarms)
    assert (alarms % 32 == 31).all()


def test_before_any_value():
    detector = ADWIN()
    assert (detector.width, detector.mean, detector.variance) == (0, 0.0, 0.0)
    assert len(detector.update_many([])) == 0
