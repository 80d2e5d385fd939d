"""Weights drawn for each example, and leaves that begin with what their split promises."""

from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import HAT, ExtremelyFastDecisionTree, HoeffdingTreeRegressor

GOLDEN, WORD = 0x9E3779B97F4A7C15, 2**64 - 1
MAKES = [HAT, ExtremelyFastDecisionTree, HoeffdingTreeRegressor]
OPTIONS = {"grace_period": 40, "delta": 0.1, "tau": 0.2}


def mix(h: int) -> int:
    """The finaliser of splitmix64."""
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & WORD
    h = (h ^ h >> 27) * 0x94D049BB133111EB & WORD
    return h ^ h >> 31


def drawn(seed: int, example: int) -> int:
    """max(1, k), k from Poisson(1): the first whose distribution reaches a uniform number."""
    bits = mix(mix(seed + GOLDEN & WORD) + example * GOLDEN & WORD)
    u = ((bits >> 11) + 0.5) / 2**53
    total, chance, k = np.exp(-1.0), np.exp(-1.0), 0
    while u > total:
        k += 1
        chance /= k
        total += chance
    return max(1, k)


def stream(make: Any, n: int = 1500) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] * (X[:, 1] > 0)
    return X, y if make is HoeffdingTreeRegressor else (y > 0.2).astype(int)


def test_the_draws_are_those_of_poisson() -> None:
    counts = np.bincount([drawn(3, i) for i in range(20_000)], minlength=6) / 20_000
    wanted = np.exp(-1.0) / np.array([1, 1, 2, 6, 24, 120])
    np.testing.assert_allclose(counts[1], wanted[0] + wanted[1], atol=0.01)
    np.testing.assert_allclose(counts[2:6], wanted[2:], atol=0.01)


@pytest.mark.parametrize("make", MAKES)
def test_an_example_counts_as_often_as_drawn(make: Any) -> None:
    X, y = stream(make)
    model = make(weights="poisson", seed=7, **OPTIONS)
    plain = make(**OPTIONS)
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert model.predict_one(x) == plain.predict_one(x)
        model.learn_one(x, label)
        plain.learn_one(x, label, drawn(7, i))
    told, expected = model._snapshot(), plain._snapshot()
    np.testing.assert_equal(told, expected)
    assert model.n_nodes > 1
    other = make(weights="poisson", seed=8, **OPTIONS)
    other.learn_many(X, y)
    assert other._snapshot()["total"] != told["total"]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("seeded", [True, False])
def test_blocks_loops_and_files_draw_alike(make: Any, seeded: bool) -> None:
    X, y = stream(make)
    block, loop = (make(weights="poisson", seed_children=seeded, **OPTIONS) for _ in range(2))
    block.learn_many(X[:700], y[:700])
    for x, label in zip(X[:700], y[:700].tolist(), strict=True):
        loop.learn_one(x, label)
    assert dumps(block) == dumps(loop)
    with pytest.raises(ValueError):
        loop.learn_one(X[0] * np.inf, y[0].item())  # no draw is lost
    twin = loads(dumps(block))
    for m in (block, loop, twin):
        m.learn_many(X[700:], y[700:])
    assert dumps(block) == dumps(loop) == dumps(twin)


def test_children_of_the_regressor_begin_with_the_targets_of_their_side() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 10, (400, 1)).astype(float)
    y = np.where(X[:, 0] < 4, 1.0, 5.0) + rng.normal(size=400) * 0.1
    for observer in ("quantised", "ebst"):
        model = HoeffdingTreeRegressor(
            leaf_prediction="mean", seed_children=True, observer=observer
        )
        model.learn_many(X[:200], y[:200])
        root = model._root()
        assert root.threshold is not None
        left = X[:200, 0] <= root.threshold
        for (_, child), side in zip(root.children, (left, ~left), strict=True):
            assert child.weight == child.mass == side.sum()
            assert child.mean == pytest.approx(y[:200][side].mean(), rel=1e-9)
            assert child.deviation == pytest.approx(y[:200][side].std(), rel=1e-9)
        assert model.predict_one(X[0]) == pytest.approx(1.0 if X[0, 0] < 4 else 5.0, abs=0.1)


@pytest.mark.parametrize("split", ["binary", "branches"])
def test_the_same_with_nominal_values(split: str) -> None:
    rng = np.random.default_rng(1)
    names = rng.choice(["a", "b", "c"], 200).tolist()
    y = np.array([{"a": 1.0, "b": 5.0, "c": 6.0}[n] + rng.normal() * 0.1 for n in names])
    model = HoeffdingTreeRegressor(leaf_prediction="mean", seed_children=True, nominal_split=split)
    model.learn_many([{"v": n} for n in names], y)
    children = model._root().children
    assert len(children) == (2 if split == "binary" else 3)
    for branch, child in children:
        side = np.array([n == branch or (branch == "=") == (n == "a") for n in names])
        if split == "branches":
            side = np.array([n == branch for n in names])
        assert child.weight == side.sum()
        assert child.mean == pytest.approx(y[side].mean(), rel=1e-9)


def test_children_of_efdt_begin_with_the_counts_of_their_side() -> None:
    model = ExtremelyFastDecisionTree(seed_children=True, leaf_prediction="mc")
    rows = [{"a": "xy"[i % 2]} for i in range(200)]
    model.learn_many(rows, [i % 2 for i in range(200)])
    left, right = (child.counts for _, child in model._root().children)
    assert (left, right) == ({0: 100.0, 1: 0.0}, {0: 0.0, 1: 100.0})


def test_wrong_options() -> None:
    with pytest.raises(ValueError, match="weights"):
        HAT(weights="gamma")
    with pytest.raises(ValueError, match="seed"):
        ExtremelyFastDecisionTree(seed=-1)
