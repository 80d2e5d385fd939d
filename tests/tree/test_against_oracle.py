"""Node by node the same tree as the plain Python one."""

from typing import Any

import numpy as np
import pytest

from onstream.tree import VFDT
from onstream.tree.view.outline import build

from ..oracles import hoeffding_tree as oracle


def mixed(seed: int, n: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Numbers, text, missing values, a late value, three labels."""
    rng = np.random.default_rng(seed)
    rows, y = [], []
    for i in range(n):
        a, b = rng.normal(), rng.normal()
        colour = str(rng.choice(["red", "green", "blue"] + ["late"] * (i > n // 2)))
        x: dict[str, Any] = {"a": a, "b": b, "colour": colour, "noise": float(rng.integers(4))}
        label = "x" if a + (colour == "red") > 0.4 else "y" if b > 0 or colour == "late" else "z"
        if rng.random() < 0.1:
            del x[str(rng.choice(["a", "b", "colour"]))]
        rows.append(x)
        y.append(label)
    return rows, y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"variance_floor": 1e-3, "ties": "parent"},
        {"variance_floor": 1e-3, "ties": "parent", "nominal_split": "binary"},
    ],
)
def test_node_by_node(seed: int, criterion: str, rules: dict[str, Any]) -> None:
    rows, y = mixed(seed, 2500)
    weights = np.random.default_rng(seed).choice([1.0, 2.0], len(y))
    fast = VFDT(delta=0.01, grace_period=40, tau=0.1, criterion=criterion, **rules)
    rules = {"variance_floor": 0.0, "ties": "first", "nominal_split": "branches", **rules}
    slow = oracle.VFDT(delta=0.01, grace=40, tau=0.1, criterion=criterion, **rules)
    for i, (x, label, w) in enumerate(zip(rows, y, weights.tolist(), strict=True)):
        assert fast.predict_one(x) == slow.predict(x), i
        fast.learn_one(x, label, w)
        slow.learn(x, label, w)
    told = [
        (
            node.feature,
            node.value or node.threshold,
            {y: c for y, c in node.counts.items() if c > 0},
        )
        for node in build(fast._outline()).walk()
    ]
    expected = slow.outline()
    assert len(told) > 8
    assert [(f, counts) for f, _, counts in told] == [(f, c) for f, _, c in expected]
    asked = [(a, b) for (_, a, _), (_, b, _) in zip(told, expected, strict=True) if a is not None]
    values = [(a, b) for a, b in asked if isinstance(a, str)]
    assert all(a == b for a, b in values)
    assert bool(values) == (rules["nominal_split"] == "binary")
    cuts = [pair for pair in asked if pair not in values]
    np.testing.assert_allclose(*zip(*cuts, strict=True), rtol=1e-9)
