"""The variance floor of naive Bayes at leaves, and whom equal votes go to."""

from typing import Any

import numpy as np
import pytest

from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree

TREES = [VFDT, HAT, ExtremelyFastDecisionTree, CVFDT]


def gaussians(X: Any, y: Any, floor: float, x: Any) -> Any:
    """Naive Bayes in NumPy: each variance raised by a share of its column's variance."""
    logs = []
    for label in np.unique(y):
        mine = X[y == label]
        variance = mine.var(axis=0) + floor * X.var(axis=0)
        density = -0.5 * np.log(2 * np.pi * variance) - (x - mine.mean(axis=0)) ** 2 / 2 / variance
        logs.append(np.log(np.mean(y == label)) + density.sum())
    likely = np.exp(np.array(logs) - max(logs))
    return likely / likely.sum()


@pytest.mark.parametrize("make", TREES)
@pytest.mark.parametrize("floor", [1e-3, 0.2])
@pytest.mark.parametrize("width", [3, 70, 200])  # values are looked at 64 at a time
def test_the_floor_is_a_share_of_each_features_variance(
    make: Any, floor: float, width: int
) -> None:
    rng = np.random.default_rng(width)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, width)) * 10.0 ** rng.integers(-3, 4, width) + y[:, None]
    X[y == 1, 0] = 7.0  # constant for one label only
    model = make(leaf_prediction="nb", variance_floor=floor, labels=[0, 1, 2])
    model.learn_many(X, y)
    for x in X[:10] + 0.1:
        told = model.predict_proba_one(x)
        np.testing.assert_allclose(
            [told[r] for r in range(3)], gaussians(X, y, floor, x), rtol=1e-9, atol=1e-300
        )


def test_what_never_varied_says_nothing() -> None:
    model, twin = (VFDT(leaf_prediction="nb", variance_floor=1e-3) for _ in range(2))
    for i in range(20):
        model.learn_one({"a": i % 7, "same": 3.0}, i % 2)
        twin.learn_one({"a": i % 7}, i % 2)
    assert model.predict_proba_one({"a": 1, "same": 8}) == twin.predict_proba_one({"a": 1})


def test_gaps_and_dropped_features_leave_out_their_part() -> None:
    rng = np.random.default_rng(0)
    model, twin = (VFDT(leaf_prediction="nb", variance_floor=1e-3) for _ in range(2))
    for _ in range(50):
        x = {"a": rng.normal(), "b": rng.normal(), "c": rng.normal()}
        y = x["a"] > 0
        model.learn_one(x, y)
        twin.learn_one({"c": x["c"], "a": x["a"]}, y)
    told, other = (m.predict_proba_one({"a": 0.1, "c": 2}) for m in (model, twin))
    assert told[True] == pytest.approx(other[True], rel=1e-12)


def leaf_with_a_tie(ties: str, labels: list[str], most: str) -> VFDT:
    """A split on `a`; the node above has more of `most`, the leaf of a=1 as many of each label."""
    model = VFDT(leaf_prediction="mc", ties=ties, grace_period=50, labels=labels)
    other = next(y for y in labels if y != most)
    for i in range(1000):
        model.learn_one({"a": i % 2}, other if i % 2 and i % 5 else most)
        if model.n_nodes == 3:
            break
    for y in labels:
        model.learn_one({"a": 1}, y)
    return model


@pytest.mark.parametrize(("labels", "most", "first"), [("xy", "x", "y"), ("xyz", "y", "x")])
def test_ties_go_to_the_label_that_the_parent_has_more_of(
    labels: str, most: str, first: str
) -> None:
    model = leaf_with_a_tie("parent", list(labels), most)
    assert model._outline()["node_counts"][2].tolist() == [1.0] * len(labels)
    assert model.predict_one({"a": 1}) == most
    assert list(model.predict_many([{"a": 1}])) == [most]
    told = model.predict_proba_one({"a": 1})
    assert list(told.values()) == pytest.approx([1 / len(labels)] * len(labels), abs=1e-12)
    assert leaf_with_a_tie("first", list(labels), most).predict_one({"a": 1}) == first


def test_ties_at_the_root_go_to_the_first() -> None:
    for ties in ("parent", "first"):
        model = VFDT(ties=ties, leaf_prediction="mc")
        for y in ("x", "y", "z"):
            model.learn_one({"a": 1}, y)
        assert model.predict_one({"a": 1}) == "x"


@pytest.mark.parametrize("make", TREES)
def test_a_tie_is_decided_alike_before_and_while_learning(make: Any) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (1500, 3)).astype(float), rng.integers(0, 2, 1500)
    options = {"grace_period": 20, "delta": 0.5, "tau": 0.5}
    model, twin = make(**options), make(**options)
    told = model.predict_learn_many(X, y)
    for x, label, answer in zip(X, y, told, strict=True):
        assert twin.predict_one(x) == answer
        twin.learn_one(x, label)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"variance_floor": -1e-3}, "variance_floor"), ({"ties": "last"}, "ties")],
)
def test_wrong_options(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        VFDT(**options)
