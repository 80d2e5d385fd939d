"""One nominal value against all others, or a branch for each."""

from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree, HoeffdingTreeRegressor

TREES = [VFDT, HAT, ExtremelyFastDecisionTree, CVFDT]


def towns(n: int, values: int = 300, seed: int = 0) -> tuple[list[dict[str, Any]], list[str]]:
    """A town of many values, of which two decide, and noise."""
    rng = np.random.default_rng(seed)
    of = rng.choice(values, n, p=np.r_[0.3, 0.3, np.full(values - 2, 0.4 / (values - 2))])
    rows = [{"town": f"t{t}", "noise": float(rng.normal())} for t in of]
    y = ["late" if t == 0 or (t == 1 and x["noise"] > 0) else "early" for t, x in zip(of, rows)]  # noqa: B905
    return rows, y


@pytest.mark.parametrize("make", TREES)
def test_one_value_against_all_others(make: Any) -> None:
    rows, y = towns(4000)
    model = make(leaf_prediction="mc", nominal_split="binary")
    wide = make(leaf_prediction="mc", nominal_split="branches")
    for m in (model, wide):
        m.learn_many(rows, y)
    assert model.n_nodes < 20
    assert wide.n_nodes > 100
    assert model.predict_one({"town": "t0", "noise": 0.0}) == "late"
    assert model.predict_one({"town": "t7", "noise": 0.0}) == "early"
    assert model.predict_one({"town": "never seen", "noise": 0.0}) == "early"
    assert model.predict_one({"noise": 0.0}) == "early"  # missing: the heaviest branch
    twin = loads(dumps(model))
    more = towns(500, seed=1)
    model.learn_many(*more)
    for x, label in zip(*more, strict=True):
        twin.learn_one(x, label)
    assert dumps(model) == dumps(twin)


def test_the_best_value_by_hand() -> None:
    """Of 100 examples each of a, b, c: the gain of c against the rest."""
    model = VFDT(nominal_split="binary", grace_period=300, leaf_prediction="mc")
    for i in range(300):
        value = "abc"[i % 3]
        model.learn_one(
            {"v": value}, "yes" if value == "c" or (value == "a" and i % 4 == 0) else "no"
        )

    def entropy(*counts: float) -> float:
        p = np.array(counts) / sum(counts)
        return float(-(p[p > 0] * np.log2(p[p > 0])).sum())

    gain = entropy(125, 175) - 2 / 3 * entropy(25, 175)
    root = model._root()
    assert (root.feature, root.value) == ("v", "c")
    assert root.gain == pytest.approx(gain, rel=1e-12)
    assert [child.mass for _, child in root.children] == [100.0, 200.0]


def test_the_regressor_separates_the_value_that_leaves_least_variance() -> None:
    rng = np.random.default_rng(2)
    means = {"a": 1.0, "b": 1.5, "c": -3.0, "d": 2.0}
    names = rng.choice(list(means), 800).tolist()
    y = [means[name] + rng.normal() * 0.1 for name in names]
    model = HoeffdingTreeRegressor(nominal_split="binary", leaf_prediction="mean")
    model.learn_many([{"c": name} for name in names], y)
    root = model._root()
    first = np.array(y[:200])
    gains = {}
    for name in means:
        one = np.array([n == name for n in names[:200]])
        left = one.mean() * first[one].var() + (~one).mean() * first[~one].var()
        gains[name] = first.var() - left
    assert root.value == max(gains, key=lambda name: gains[name]) == "c"
    assert root.gain == pytest.approx(gains["c"], rel=1e-9)
    assert model.predict_one({"c": "c"}) == pytest.approx(-3.0, abs=0.1)
    assert dumps(loads(dumps(model))) == dumps(model)


def test_it_shows_itself() -> None:
    model = VFDT(nominal_split="binary", leaf_prediction="mc")
    model.learn_many(*towns(2000))
    text = model.to_text()
    assert "town = t0" in text
    assert "town ≠ t0" in text
    assert "town = t0 ?" in model.to_svg()
    assert '"= t0"' in model.to_dot()
    assert model.explain_one({"town": "t0", "noise": 0}).path[0] == "town = t0"
    assert model.explain_one({"town": "t9", "noise": 0}).path[0] == "town ≠ t0"


def test_a_broken_file_is_refused() -> None:
    model = VFDT(nominal_split="binary", leaf_prediction="mc")
    model.learn_many(*towns(2000))
    told = model._snapshot()
    told["node_numbers"][0, 0] = 1e6
    with pytest.raises(ValueError, match="value that its feature does not have"):
        VFDT(nominal_split="binary", leaf_prediction="mc")._restore(told)
