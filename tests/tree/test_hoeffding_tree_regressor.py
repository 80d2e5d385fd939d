"""The regression tree: its cuts, its leaves, its observers."""

import itertools
from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.streams import Friedman
from onstream.tree import HoeffdingTreeRegressor


def gain_of(model: Any) -> tuple[float, float]:
    told = model._outline()
    return told["node_numbers"][0, 0], told["node_numbers"][0, 7]


@pytest.mark.parametrize("observer", ["quantised", "ebst"])
@pytest.mark.parametrize(("criterion", "gain"), [("variance", 20.25), ("sdr", 3.756978)])
def test_the_vector_of_the_specification(observer: str, criterion: str, gain: float) -> None:
    """x = 1 ... 6, y = 1 2 3 10 11 12: cut at 3.5; four of each, so that both sides have 5."""
    model = HoeffdingTreeRegressor(grace_period=24, observer=observer, criterion=criterion)
    for _ in range(4):
        for x, y in zip(range(1, 7), (1, 2, 3, 10, 11, 12), strict=True):
            model.learn_one({"x": x}, y)
    cut, reached = gain_of(model)
    assert cut == 3.5
    assert reached == pytest.approx(gain, abs=5e-7)


def test_both_sides_need_five() -> None:
    model = HoeffdingTreeRegressor(grace_period=6)
    for x, y in zip(range(1, 7), (1, 2, 3, 10, 11, 12), strict=True):
        model.learn_one({"x": x}, y)
    assert model.n_nodes == 1


def best_by_hand(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    best, cut = 0.0, 0.0
    values = np.unique(x)
    for a, b in itertools.pairwise(values):
        left, right = y[x <= a], y[x > a]
        if min(len(left), len(right)) >= 5:
            gain = y.var() - (len(left) * left.var() + len(right) * right.var()) / len(y)
            if gain > best:
                best, cut = gain, (a + b) / 2
    return cut, best


def test_the_exact_observer_finds_the_best_of_all_cuts() -> None:
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=300), 2)
    y = np.where(x > 0.3, 2.0, -1.0) + rng.normal(size=300) * 0.1
    model = HoeffdingTreeRegressor(observer="ebst", grace_period=300)
    model.learn_many(x[:, None], y)
    cut, gain = best_by_hand(x, y)
    assert gain_of(model) == pytest.approx((cut, gain), rel=1e-9)


def test_slots_come_close_to_exact() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    y = np.where(x > 0.3, 2.0, -1.0)
    model = HoeffdingTreeRegressor(grace_period=2000)
    model.learn_many(x[:, None], y)
    cut, gain = gain_of(model)
    assert abs(cut - 0.3) < 0.35  # a slot is a third of a deviation wide
    assert gain > 0.7 * y.var()
    slots = HoeffdingTreeRegressor(grace_period=1e9)
    slots.learn_many(x[:, None], y)
    assert len(slots._model.export()["slots"]) < 40


def test_nominal_values_branch() -> None:
    rng = np.random.default_rng(2)
    means = {"a": 1.0, "b": 5.0, "c": -3.0}
    names = rng.choice(list(means), 600).tolist()
    rows = [{"c": name, "n": float(rng.normal())} for name in names]
    y = [means[name] for name in names]
    model = HoeffdingTreeRegressor(leaf_prediction="mean", nominal_split="branches")
    model.learn_many(rows, y)
    assert model.n_leaves == 3
    for name, mean in means.items():
        assert model.predict_one({"c": name}) == pytest.approx(mean, abs=1e-9)
    first = np.mean(y[:200])  # what the root had counted when it split
    assert model.predict_one({"c": "never"}) == pytest.approx(first, abs=1e-9)


def test_leaves() -> None:
    """On a plane the linear model is better than the mean, and the adaptive leaf knows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 3))
    y = X @ [1.0, -2.0, 0.5] + 3.0
    errors = {}
    for leaf in ("mean", "linear", "adaptive"):
        model = HoeffdingTreeRegressor(leaf_prediction=leaf, max_depth=2)
        told = model.predict_learn_many(X, y)
        errors[leaf] = np.mean((told[3000:] - y[3000:]) ** 2)
    assert errors["linear"] < 0.2 * errors["mean"]
    assert errors["adaptive"] < 1.2 * errors["linear"]
    step = np.where(X[:, 0] > 0, 10.0, 0.0)
    model = HoeffdingTreeRegressor(leaf_prediction="adaptive")
    told = model.predict_learn_many(X, step)
    assert np.mean((told[3000:] - step[3000:]) ** 2) < 0.05 * step.var()


def test_friedman() -> None:
    X, y = next(iter(Friedman(seed=1).batches(20_000)))
    model = HoeffdingTreeRegressor()
    told = model.predict_learn_many(X, y)
    assert np.mean((told[10_000:] - y[10_000:]) ** 2) < 0.35 * y.var()


def test_outliers_do_not_make_it_diverge() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_cauchy((5000, 3)) ** 3
    model = HoeffdingTreeRegressor(leaf_prediction="linear")
    told = model.predict_learn_many(X, rng.normal(size=5000))
    assert np.isfinite(told).all()
    assert np.abs(told[100:]).max() < 1e6


def test_save_and_go_on() -> None:
    X, y = next(iter(Friedman(seed=2).batches(6000)))
    model = HoeffdingTreeRegressor(delta=0.01)
    model.learn_many(X[:3000], y[:3000])
    twin = loads(dumps(model))
    for other in (model, twin):
        other.learn_many(X[3000:], y[3000:])
    assert dumps(twin) == dumps(model)
    assert model.n_leaves > 3
    assert "±" in model.to_text()


def test_slots_take_little_more_than_they_need() -> None:
    """A leaf has an observer for every feature, and most of them have few slots."""
    features, values, slot, besides = 200, 8, 40, 120
    model = HoeffdingTreeRegressor(grace_period=1000)
    model.learn_many(np.random.default_rng(1).integers(0, values, (300, features)), np.zeros(300))
    assert model.n_leaves == 1
    assert model.memory_bytes < features * (2 * values * slot + besides)


def test_slots_that_are_very_narrow_have_finite_numbers():
    model = HoeffdingTreeRegressor()
    for i in range(300):
        model.learn_one({"a": i * 1e-306}, float(i % 7))
    model.learn_one({"a": 1.0}, 1.0)
    assert dumps(loads(dumps(model))) == dumps(model)
