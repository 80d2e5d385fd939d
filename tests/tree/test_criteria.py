"""Entropy, Gini index and Hoeffding's bound against the figures of the specification."""

import math

import pytest

from onstream.tree import VFDT, BatchTree

WEATHER = {"sunny": (2, 3), "overcast": (4, 0), "rain": (3, 2)}  # play, stay at home
ROWS = [
    ({"outlook": outlook}, label)
    for outlook, counts in WEATHER.items()
    for label, n in zip(("play", "stay"), counts, strict=True)
    for _ in range(n)
]


@pytest.mark.parametrize(("criterion", "gain"), [("info_gain", 0.246750), ("gini", 0.116327)])
def test_gain_of_nine_against_five(criterion: str, gain: float) -> None:
    """Of a split into (2, 3), (4, 0), (3, 2), in the tree that learns it and in the batch tree."""
    model = VFDT(nominal_split="branches", criterion=criterion, grace_period=14, delta=1.0, tau=1.0)
    for x, label in ROWS:
        model.learn_one(x, label)
    batch = BatchTree(criterion=criterion).fit(ROWS)
    for tree in (model, batch):
        assert tree._root().feature == "outlook"
        assert tree._root().gain == pytest.approx(gain, abs=5e-7)


@pytest.mark.parametrize(("criterion", "impurity"), [("info_gain", 3.0), ("gini", 1 - 1 / 8)])
def test_a_split_of_even_labels_into_pure_ones_gains_all(criterion: str, impurity: float) -> None:
    model = VFDT(nominal_split="branches", criterion=criterion, grace_period=40, delta=1.0, tau=1.0)
    for i in range(40):
        model.learn_one({"a": f"value {i % 8}"}, i % 8)
    assert model._root().gain == pytest.approx(impurity, rel=1e-15)


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize("labels", [2, 3])
def test_equals_are_split_when_the_bound_falls_below_tau(criterion: str, labels: int) -> None:
    """Hoeffding's bound is R sqrt(ln(1 / delta) / 2n): with R = 1 it is below 0.05 at n = 3224."""
    span = math.log2(labels) if criterion == "info_gain" else 1.0
    first = math.ceil(span**2 * math.log(1e7) / (2 * 0.05**2))
    assert first == 3224 or labels == 3
    model = VFDT(
        nominal_split="branches",
        criterion=criterion,
        grace_period=1,
        delta=1e-7,
        tau=0.05,
        leaf_prediction="mc",
    )
    for i in range(first):
        assert model.n_leaves == 1
        model.learn_one({"a": str(i % labels), "b": str(i % labels)}, i % labels)
    assert model.n_leaves == labels
