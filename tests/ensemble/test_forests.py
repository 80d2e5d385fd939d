"""AdaptiveRandomForestClassifier and StreamingRandomPatchesClassifier."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.drift import ADWIN
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    StreamingRandomPatchesClassifier,
)
from onstream.persist import dumps, loads
from onstream.streams import SEA, Agrawal, Drift
from onstream.tree import HoeffdingTreeClassifier

from ..oracles.ensembles import draws

FORESTS = [AdaptiveRandomForestClassifier, StreamingRandomPatchesClassifier]
X, Y = Drift(Agrawal(1, seed=1), Agrawal(4, seed=2), at=2000).block(4000)


@pytest.mark.parametrize("forest", FORESTS)
def test_any_number_of_threads_gives_the_same_bits(forest: Any) -> None:
    models = [forest(n_models=5, n_jobs=n, seed=3) for n in (1, 2, 4)]
    answers = [m.predict_learn_many(X, Y, output="proba") for m in models]
    for model, answer in zip(models, answers, strict=True):
        np.testing.assert_array_equal(answer, answers[0])
        assert model.drifts == models[0].drifts
        np.testing.assert_array_equal(model.score_many(X), models[0].score_many(X))
    assert sum(map(len, models[0].drifts)) > 0, "no tree was replaced"


def test_with_all_features_and_no_drift_members_are_trees() -> None:
    """A vote is the tree's probabilities times the share of answers that were right so far."""
    model = StreamingRandomPatchesClassifier(n_models=3, subspace=1.0, drift_delta=0.0, max_depth=1)
    trees = [HoeffdingTreeClassifier(grace_period=50, delta=0.01, max_depth=1) for _ in range(3)]
    times = [draws(0, i, 6.0, 1500) for i in range(3)]
    right, tested = np.zeros(3), np.zeros(3)
    rows, labels = SEA(1, seed=4, noise=0.1).block(1500)
    for t, (x, y) in enumerate(zip(np.asarray(rows), labels.tolist(), strict=True)):
        total: dict[Any, float] = {}
        for i, tree in enumerate(trees):
            if tree.seen:
                weight = right[i] / tested[i] if tested[i] else 1.0
                for label, p in tree.predict_proba_one(x).items():
                    total[label] = total.get(label, 0.0) + weight * p
                right[i] += tree.predict_one(x) == y
                tested[i] += 1
        if len(total) == 2 and sum(total.values()) > 0:
            expected = {label: total[label] / sum(total.values()) for label in model.labels}
            assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)
        model.learn_one(x, y)
        for tree, k in zip(trees, times, strict=True):
            if k[t]:
                tree.learn_one(x, y, k[t])
    assert max(tree.n_leaves for tree in trees) > 1


def test_a_leaf_begins_with_the_weight_that_its_split_foresaw() -> None:
    """Features come in pairs of equals, so every split is a tie: at a bound below 0.05, which with
    two labels and delta = 0.01 is that of a weight of 922. Of that a leaf has to see a half."""
    model = StreamingRandomPatchesClassifier(n_models=1, subspace=1.0, drift_delta=0.0)
    rng = np.random.default_rng(0)
    leaves = []
    while model.trees == [] or model.trees[0].n_leaves < 3:
        a, b = rng.random(2)
        numbers = model._snapshot()["members"]["0"]["model"].get("node_numbers")
        leaves = [] if numbers is None else numbers[1:, 1:3].tolist()
        model.learn_one({"a": a, "c": a, "b": b, "d": b}, a + b > 1.0)
    mass, weight = max(leaves)
    assert 900 < mass < 1000
    assert weight < 700


def test_patches_watch_the_errors_that_are_left_after_learning() -> None:
    """One tree of all features, which is replaced when such errors rise."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 12, 2000)
    sign = np.where(np.arange(2000) < 900, 0.5, -0.5)
    rows = rng.normal(size=(2000, 3)) + (labels * sign)[:, None]
    model = StreamingRandomPatchesClassifier(
        n_models=1, subspace=1.0, warning_delta=0.0, drift_delta=0.5, max_depth=1
    )
    tree = HoeffdingTreeClassifier(grace_period=50, delta=0.01, max_depth=1)
    window, drifts = ADWIN(delta=0.5), []
    model.learn_many(rows, labels)
    for t, k in enumerate(draws(0, 0, 6.0, 2000)):
        if k == 0:
            continue
        tree.learn_one(rows[t], labels[t], k)
        before = window.mean
        if window.update(float(tree.predict_one(rows[t]) != labels[t])) and window.mean > before:
            drifts.append(t)
            tree, window = tree.clone(labels=tree.labels), ADWIN(delta=0.5)
    assert model.drifts == [drifts]
    assert drifts


def test_replacing_one_member_leaves_the_others_as_they_are() -> None:
    """A forest that never replaces has the same trees, but for the members that began anew."""
    changing = AdaptiveRandomForestClassifier(n_models=6, seed=2)
    fixed = changing.clone(drift_delta=0.0)
    rows = 0
    while not any(changing.drifts):
        changing.learn_many(X[rows : rows + 20], Y[rows : rows + 20])
        fixed.learn_many(X[rows : rows + 20], Y[rows : rows + 20])
        rows += 20
        assert rows < 4000, "nothing was replaced"
    fresh = {i for i, marks in enumerate(changing.drifts) if marks}
    assert 0 < len(fresh) < 6, "all or none began anew"
    a, b = changing._snapshot()["members"], fixed._snapshot()["members"]
    for i in map(str, range(6)):
        same = np.array_equal(a[i]["model"]["node_numbers"], b[i]["model"]["node_numbers"])
        assert same == (int(i) not in fresh)


@pytest.mark.parametrize("forest", FORESTS)
def test_saved_while_trees_wait_in_the_background(forest: Any, tmp_path: Any) -> None:
    model = forest(n_models=5, seed=1, warning_delta=0.5, drift_delta=1e-3)
    rows = 0
    while not any("background" in m for m in model._snapshot()["members"].values()):
        model.learn_many(X[rows : rows + 50], Y[rows : rows + 50])
        rows += 50
        assert rows < 3500, "there was never a tree in the background"
    onstream.save(model, tmp_path / "m.onstream")
    loaded = onstream.load(tmp_path / "m.onstream")
    for one in (model, loaded):
        one.learn_many(X[rows:], Y[rows:])
    np.testing.assert_array_equal(model.score_many(X), loaded.score_many(X))
    assert model.drifts == loaded.drifts


def test_after_a_drift_it_is_better_than_a_tree() -> None:
    def late(model: Any) -> float:
        return float((model.predict_learn_many(X, Y) == Y)[3000:].mean())

    assert late(AdaptiveRandomForestClassifier(seed=1)) > late(HoeffdingTreeClassifier()) + 0.02


@pytest.mark.parametrize(("max_features", "most"), [("sqrt", 4), (0.6, 5), (0.1, 2), (1.0, 9)])
def test_a_leaf_watches_some_of_the_features(max_features: Any, most: int) -> None:
    """round(sqrt(9)) + 1 = 4 of the 9 features of Agrawal; of two leaves hardly ever the same."""
    model = AdaptiveRandomForestClassifier(
        n_models=8, drift_delta=0.0, max_features=max_features, max_depth=2
    )
    model.learn_many(X, Y)
    subsets = set()
    for member in model._snapshot()["members"].values():
        tables = member["model"]["table_numbers"]  # label of a leaf, row, feature
        for weights in tables[:, 0, :]:
            assert np.count_nonzero(weights) <= most
            subsets.add(tuple(np.flatnonzero(weights).tolist()))
    assert max(map(len, subsets)) == most
    assert len(subsets) > 10 or most == 9


def test_shares_of_features_that_cannot_be_are_refused() -> None:
    for forest in (AdaptiveRandomForestClassifier, AdaptiveRandomForestRegressor):
        for wrong in (0.0, 1.5, float("nan")):
            with pytest.raises(ValueError, match="max_features must be"):
                forest(max_features=wrong)
        with pytest.raises(ValueError, match="max_features must be one of 'sqrt', got 'log2'"):
            forest(max_features="log2")


def test_a_tree_of_patches_sees_one_subset() -> None:
    model = StreamingRandomPatchesClassifier(n_models=8, drift_delta=0.0)
    model.learn_many(X, Y)
    subsets = []
    for member in model._snapshot()["members"].values():
        tables = member["model"]["table_numbers"]
        seen = {tuple(np.flatnonzero(weights).tolist()) for weights in tables[:, 0, :]}
        assert len(seen) == 1
        subsets.append(seen.pop())
    assert {len(subset) for subset in subsets} == {5}  # round(0.6 · 9)
    assert len(set(subsets)) > 3


@pytest.mark.parametrize("forest", FORESTS)
def test_numbers_that_leaves_keep_are_weighed_alike_with_and_without_what_is_precomputed(
    forest: Any,
) -> None:
    """A loaded forest looks at one feature after the other, until it learns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 600)
    rows = rng.normal(size=(600, 9)) + y[:, None] * rng.normal(size=9)
    model = forest(n_models=3, drift_delta=0.0)
    model.learn_many(rows, y)
    loaded = loads(dumps(model))
    np.testing.assert_array_equal(model.predict_proba_many(rows), loaded.predict_proba_many(rows))
    assert len(np.unique(model.predict_proba_many(rows), axis=0)) > 500, "naive Bayes is not used"


def test_features_that_come_later_join() -> None:
    model = AdaptiveRandomForestClassifier(n_models=10, drift_delta=0.0)
    rng = np.random.default_rng(2)
    for i in range(600):
        x = {f"f{j}": float(v) for j, v in enumerate(rng.normal(size=9 if i > 200 else 4))}
        model.learn_one(x, bool(x["f0"] > 0))
    used = {
        int(feature)
        for member in model._snapshot()["members"].values()
        for feature in np.flatnonzero(member["model"]["table_numbers"][:, 0, :].sum(axis=0))
    }
    assert used > {0, 1, 2, 3}


@pytest.mark.parametrize("forest", FORESTS)
def test_features_of_a_refused_example_are_forgotten(forest: Any) -> None:
    """Also by the trees that begin anew later."""
    model = forest(n_models=2, warning_delta=0.9, drift_delta=0.5)
    for i in range(50):
        model.learn_one({"a": float(i % 7)}, bool(i % 2))
    with pytest.raises(ValueError, match="overflow"):
        model.learn_one({"a": 1.0, **{f"n{k}": 1.0 for k in range(20)}}, True, 1e308)
    for i in range(500):
        model.learn_one({"a": float(i % 7)}, bool((i % 7 > 3) ^ (i // 100 % 2)))
    assert any(model.drifts)
    assert model.seen == 550


@pytest.mark.parametrize("forest", [*FORESTS, AdaptiveRandomForestRegressor])
def test_saved_while_features_come(forest: Any) -> None:
    """Leaves choose among features that came later with their next example, not when saved."""
    rng = np.random.default_rng(1)
    share = {} if forest is StreamingRandomPatchesClassifier else {"max_features": 0.2}
    model = forest(n_models=4, grace_period=20, seed=1, **share)
    for width in range(1, 26):
        names = [f"f{j}" for j in range(width)]
        rows = [
            {str(name): float(rng.normal()) for name in rng.permutation(names)[:5]}
            for _ in range(60)
        ]
        rows[0] |= {names[-1]: 1.0}  # new to all leaves, and only one of them learns it
        y = [float(row.get("f1", 0.0) > 0.0) for row in rows]
        targets = y if forest is AdaptiveRandomForestRegressor else ["ab"[int(each)] for each in y]
        model.learn_one(rows[0], targets[0])
        other = loads(dumps(model))
        assert dumps(other) == dumps(model)
        np.testing.assert_array_equal(other.score_many(rows), model.score_many(rows))
        for each in (model, other):
            each.learn_many(rows[1:], targets[1:])
        assert dumps(other) == dumps(model)
