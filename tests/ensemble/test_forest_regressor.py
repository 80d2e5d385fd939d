"""AdaptiveRandomForestRegressor."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.drift import ADWIN
from onstream.ensemble import AdaptiveRandomForestRegressor
from onstream.streams import Friedman
from onstream.tree import HoeffdingTreeRegressor

from ..oracles.ensembles import draws

X, Y = Friedman(seed=1).block(3000)
X = np.asarray(X)
Y = np.where(np.arange(3000) < 1500, Y, 20.0 - Y)  # all changes at 1,500


def pair(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two features, of which round(sqrt(2)) + 1 are both."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(n, 2))
    return rows, np.where(rows[:, 0] > 0, 3.0, -2.0) * (1 + (np.arange(n) > n // 2)) + rows[:, 1]


@pytest.mark.parametrize("aggregation", ["median", "mean"])
def test_with_all_features_and_no_drift_members_are_trees(aggregation: Any) -> None:
    model = AdaptiveRandomForestRegressor(n_models=4, drift_delta=0.0, aggregation=aggregation)
    trees = [HoeffdingTreeRegressor(grace_period=50, delta=0.01) for _ in range(4)]
    times = [draws(0, i, 6.0, 1000) for i in range(4)]
    for t, (x, y) in enumerate(zip(*pair(1000), strict=True)):
        if t:
            answers = [tree.predict_one(x) for tree in trees]
            expected = np.median(answers) if aggregation == "median" else np.mean(answers)
            assert model.predict_one(x) == pytest.approx(expected, abs=1e-12)
        model.learn_one(x, float(y))
        for tree, k in zip(trees, times, strict=True):
            if k[t]:
                tree.learn_one(x, float(y), k[t])
    assert max(tree.n_leaves for tree in trees) > 2


def test_windows_watch_errors_in_units_of_their_size() -> None:
    """min(1, |e| / (3 rms e)), and only a rise counts; until the first drift there is one tree."""
    rows, targets = pair(3000)
    model = AdaptiveRandomForestRegressor(n_models=1, seed=2)
    model.learn_many(rows, targets)
    tree = HoeffdingTreeRegressor(grace_period=50, delta=0.01)
    warning, drift = ADWIN(delta=0.01), ADWIN(delta=0.001)
    squares, tested = 0.0, 0
    for t, k in enumerate(draws(2, 0, 6.0, 3000)):
        error = 0.0
        if t:
            off = abs(tree.predict_one(rows[t]) - float(targets[t]))
            tested += 1
            squares += off * off
            error = min(1.0, off / (3.0 * np.sqrt(squares / tested)))
        if k:
            tree.learn_one(rows[t], float(targets[t]), k)
            warned = warning.mean
            warning.update(error)
            if warning.drift and warning.mean > warned:
                warning = ADWIN(delta=0.01)
            before = drift.mean
            drift.update(error)
            if t == 999:  # what the windows hold, too, not only when they speak
                early = AdaptiveRandomForestRegressor(n_models=1, seed=2)
                early.learn_many(rows[:1000], targets[:1000])
                held = early._snapshot()["members"]["0"]["drift"]
                width = held["counts"] @ 2.0 ** np.arange(held["rows"])
                assert held["total"] / width == pytest.approx(drift.mean, rel=1e-9)
            if drift.drift and drift.mean > before:
                break
    assert 1500 < t < 2999
    assert model.drifts[0][0] == t


@pytest.mark.parametrize("aggregation", ["median", "mean"])
def test_threads_blocks_and_files_change_nothing(aggregation: Any, tmp_path: Any) -> None:
    options: Any = {"n_models": 5, "seed": 3, "warning_delta": 0.2, "aggregation": aggregation}
    models = [AdaptiveRandomForestRegressor(n_jobs=n, **options) for n in (1, 2, 4)]
    answers = [model.predict_learn_many(X, Y) for model in models]
    loop = AdaptiveRandomForestRegressor(**options)
    saved = 0
    for t, (x, y) in enumerate(zip(X, Y.tolist(), strict=True)):
        loop.learn_one(x, y)
        if t % 20 == 0 and any("background" in m for m in loop._snapshot()["members"].values()):
            onstream.save(loop, tmp_path / "m.onstream")
            loop = onstream.load(tmp_path / "m.onstream")
            saved += 1
    assert saved > 1, "there was never a tree in the background"
    assert sum(map(len, loop.drifts)) > 0, "no tree was replaced"
    for model, answer in zip(models, answers, strict=True):
        np.testing.assert_array_equal(answer, answers[0])
        np.testing.assert_array_equal(model.predict_many(X), loop.predict_many(X))
        assert model.drifts == loop.drifts


def test_after_a_drift_it_is_better_than_a_tree() -> None:
    def late(model: Any) -> float:
        return float(((model.predict_learn_many(X, Y) - Y)[2200:] ** 2).mean())

    forest = AdaptiveRandomForestRegressor(seed=1)
    assert late(forest) < 0.8 * late(HoeffdingTreeRegressor())
    assert sum(map(len, forest.drifts)) >= 1


@pytest.mark.parametrize(("max_features", "most"), [("sqrt", 4), (0.7, 7)])
def test_a_leaf_watches_some_of_the_features(max_features: Any, most: int) -> None:
    """round(sqrt(10)) + 1 = 4 of the 10 features; of two leaves hardly ever the same."""
    model = AdaptiveRandomForestRegressor(n_models=6, drift_delta=0.0, max_features=max_features)
    model.learn_many(X, Y)
    subsets = set()
    for member in model._snapshot()["members"].values():
        by_leaf: dict[int, list[int]] = {}
        for leaf, feature, _, _ in member["model"]["observers"].tolist():
            by_leaf.setdefault(leaf, []).append(feature)
        assert all(len(features) == most for features in by_leaf.values())
        subsets |= {tuple(features) for features in by_leaf.values()}
    assert len(subsets) > 10
