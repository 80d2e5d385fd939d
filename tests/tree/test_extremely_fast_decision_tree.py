"""EFDT: early splits, second thoughts."""

from typing import Any

import numpy as np

from onstream.tree import VFDT, ExtremelyFastDecisionTree


def first_split(model: Any, rows: Any, y: Any) -> int | None:
    for i, (x, target) in enumerate(zip(rows, y, strict=True)):
        model.learn_one(x, target)
        if model.n_nodes > 1:
            return i + 1
    return None


def test_identical_attributes_split_at_200() -> None:
    """VFDT needs 3400 (spec)."""
    same = np.random.default_rng(0).integers(0, 2, 500)
    rows = [{"a": str(v), "b": str(v)} for v in same]
    assert first_split(ExtremelyFastDecisionTree(), rows, same.tolist()) == 200
    assert first_split(VFDT(), rows, same.tolist()) is None


def concept(seed: int, n: int = 10_000) -> tuple[list[dict[int, str]], np.ndarray]:
    """(x0 and x1) or (x2 and x3) over six binary attributes; 5 % of the labels are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 6))
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3])
    rows = [{j: "ny"[v] for j, v in enumerate(x)} for x in X.tolist()]
    return rows, (y > 0) ^ (rng.random(n) < 0.05)


def test_mini_run() -> None:
    """Spec, majority leaves: EFDT .362/.048, VFDT .448/.223 (first 2000, 8000 to 10000)."""
    told = {}
    for cls in (ExtremelyFastDecisionTree, VFDT):
        runs = []
        for seed in range(5):
            rows, y = concept(seed)
            said = cls(leaf_prediction="mc").predict_learn_many(rows, y)
            wrong = np.array([a != b for a, b in zip(said, y, strict=True)])
            runs.append((wrong[:2000].mean(), wrong[8000:].mean()))
        told[cls] = np.mean(runs, axis=0)
    fast, slow = told[ExtremelyFastDecisionTree], told[VFDT]
    assert abs(fast[0] - 0.362) < 0.08
    assert abs(slow[0] - 0.448) < 0.06
    assert fast[1] < 0.055
    assert 0.15 < slow[1] < 0.27


def test_an_inner_node_changes_its_mind() -> None:
    """A hasty split on x0 is replaced once x1 has been better for long."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (12_000, 2)).astype(float)
    y = np.where(np.arange(12_000) < 400, X[:, 0], X[:, 1]) > 0
    model = ExtremelyFastDecisionTree(max_depth=1, nominal=[0, 1])
    model.learn_many(X[:400], y[:400])
    assert model._outline()["nodes"][0, 0] == 0
    model.learn_many(X[400:], y[400:])
    assert model._outline()["nodes"][0, 0] == 1
    assert (model.predict_many(X[400:]) == y[400:]).all()


def test_inner_nodes_keep_counting() -> None:
    rows, y = concept(7)
    model = ExtremelyFastDecisionTree()
    model.learn_many(rows, y)
    told = model._outline()
    assert told["node_counts"][0].sum() == 10_000
    assert told["nodes"][0, 3] == 1  # the root has tables


def test_merits_go_to_disk_and_back() -> None:
    from onstream.persist import dumps, loads

    rows, y = concept(8)
    model = ExtremelyFastDecisionTree(reevaluate=300)
    model.learn_many(rows[:5000], y[:5000])
    assert model._model.export()["merits"].any()
    twin = loads(dumps(model))
    for other in (model, twin):
        other.learn_many(rows[5000:], y[5000:])
    assert dumps(twin) == dumps(model)
