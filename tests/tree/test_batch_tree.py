"""The greedy tree of a static block, and what starts from it."""

import itertools

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.streams import SEA
from onstream.tree import HAT, VFDT, BatchTree, ExtremelyFastDecisionTree

TENNIS = [
    ("sunny", "hot", "high", "weak", "no"), ("sunny", "hot", "high", "strong", "no"),
    ("overcast", "hot", "high", "weak", "yes"), ("rain", "mild", "high", "weak", "yes"),
    ("rain", "cool", "normal", "weak", "yes"), ("rain", "cool", "normal", "strong", "no"),
    ("overcast", "cool", "normal", "strong", "yes"), ("sunny", "mild", "high", "weak", "no"),
    ("sunny", "cool", "normal", "weak", "yes"), ("rain", "mild", "normal", "weak", "yes"),
    ("sunny", "mild", "normal", "strong", "yes"), ("overcast", "mild", "high", "strong", "yes"),
    ("overcast", "hot", "normal", "weak", "yes"), ("rain", "mild", "high", "strong", "no"),
]  # fmt: skip
NAMES = ("outlook", "temperature", "humidity", "wind")
ROWS = [dict(zip(NAMES, row[:4], strict=True)) for row in TENNIS]
LABELS = [row[4] for row in TENNIS]


def test_nine_against_five() -> None:
    """Quinlan's example: outlook first, with the gain of the specification."""
    tree = BatchTree().fit(ROWS, LABELS)
    told = tree._outline()
    assert told["node_numbers"][0, 7] == pytest.approx(0.246750, abs=5e-7)
    assert tree.predict_many(ROWS).tolist() == LABELS
    assert tree.n_leaves == 5
    assert tree.depth == 2
    assert tree.feature_importances["outlook"] > 0
    gini = BatchTree(criterion="gini").fit(ROWS, LABELS)
    assert gini._outline()["node_numbers"][0, 7] == pytest.approx(0.116327, abs=5e-7)


def test_stops() -> None:
    assert BatchTree(max_depth=1).fit(ROWS, LABELS).depth == 1
    assert BatchTree(min_size=15).fit(ROWS, LABELS).n_nodes == 1
    assert BatchTree().fit(ROWS, ["yes"] * 14).n_nodes == 1
    assert BatchTree().fit([{"a": 1}] * 4, [0, 1, 0, 1]).n_nodes == 1


def test_best_of_all_cuts() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 1] > 0.2
    tree = BatchTree().fit(X, y)
    assert tree.n_leaves == 2
    cut = tree._outline()["node_numbers"][0, 0]
    assert X[~y, 1].max() < cut < X[y, 1].min()


def test_missing_values_take_the_heaviest_branch() -> None:
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [np.nan]])
    tree = BatchTree().fit(X, [0, 0, 0, 1, 1, 0])
    assert tree.predict_many(X).tolist() == [0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize("cls", [VFDT, HAT])
def test_warm_start(cls: type) -> None:
    """The tree starts with the answers of the batch tree, and goes on from its leaves."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (6000, 4)).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0) ^ (rng.random(6000) < 0.02)
    batch = BatchTree(max_depth=2).fit(X[:500], y[:500])
    warm, cold = cls(init=batch, leaf_prediction="mc"), cls(leaf_prediction="mc")
    every = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    assert warm.predict_many(every).tolist() == batch.predict_many(every).tolist()
    assert warm.seen == 500
    told = [m.predict_learn_many(X[500:], y[500:]) for m in (warm, cold)]
    right = [np.mean([a == b for a, b in zip(t[:1500], y[500:2000], strict=True)]) for t in told]
    assert right[0] > right[1]
    assert warm.n_nodes > batch.n_nodes
    assert dumps(loads(dumps(warm))) == dumps(warm)


def test_tables_are_those_of_the_examples() -> None:
    """A warm start equals a Hoeffding tree that has met the same examples in one leaf."""
    rng = np.random.default_rng(2)
    rows = [{"n": float(v), "c": "xyz"[i % 3]} for i, v in enumerate(rng.normal(size=90))]
    y = ["a", "b"] * 45
    warm = VFDT(init=BatchTree(min_size=1000).fit(rows, y), leaf_prediction="nb")
    cold = VFDT(leaf_prediction="nb")
    cold.learn_many(rows, y)
    np.testing.assert_allclose(warm.score_many(rows), cold.score_many(rows), rtol=1e-9)


def test_only_what_can_start_from_it() -> None:
    batch = BatchTree().fit(ROWS, LABELS)
    with pytest.raises(TypeError, match=r"^ExtremelyFastDecisionTree: init"):
        ExtremelyFastDecisionTree(init=batch)


def test_a_file() -> None:
    tree = BatchTree(max_depth=2).fit(ROWS, LABELS)
    twin = loads(dumps(tree))
    assert isinstance(twin, BatchTree)
    assert twin.params == tree.params
    assert twin.to_text() == tree.to_text()
    assert dumps(twin) == dumps(tree)
    assert VFDT(init=twin).predict_many(ROWS).tolist() == tree.predict_many(ROWS).tolist()
    empty = loads(dumps(BatchTree()))
    assert empty.predict_one({"a": 1}) is None


def test_a_stream_and_a_pickle() -> None:
    import pickle

    tree = BatchTree().fit(list(zip(ROWS, LABELS, strict=True)))
    twin = pickle.loads(pickle.dumps(tree))
    assert twin.to_text() == tree.to_text()


@pytest.mark.parametrize("bad", [None, 3, ({"a": 1.0},), ({"a": 1.0}, 1, 1.0, 2), "ab", {}])
def test_a_stream_with_something_that_is_no_pair(bad: object) -> None:
    tree = BatchTree().fit(ROWS, LABELS)
    before = dumps(tree)
    for stream in ([*zip(ROWS, LABELS, strict=True), bad], [bad]):
        for X in (stream, iter(stream)):
            row = len(stream) - 1
            with pytest.raises(TypeError, match=rf"^BatchTree: row {row}: .*stream of .*, got "):
                tree.fit(X)
    assert dumps(tree) == before


@pytest.mark.parametrize("bad", [None, 3, "ab", {"a": 1.0}, np.ones((4, 2))])
def test_what_is_no_stream(bad: object) -> None:
    with pytest.raises(TypeError, match=r"^BatchTree: without y, fit takes a stream of"):
        BatchTree().fit(bad)


def test_a_stream_without_end() -> None:
    with pytest.raises(ValueError, match=r"^BatchTree: SEA is a stream without end"):
        BatchTree().fit(SEA())


def test_a_stream_with_weights() -> None:
    w = [i % 3 for i in range(14)]
    tree = BatchTree().fit(zip(ROWS, LABELS, w, strict=True))
    assert tree.to_text() == BatchTree().fit(ROWS, LABELS, w=w).to_text()


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
def test_a_weight_is_so_many_rows(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 3)) < 0.1, np.nan, rng.normal(size=(80, 3)))
    rows = [
        {"colour": "red" if x[0] > 0 else "blue", **{str(j): float(v) for j, v in enumerate(x)}}
        for x in X
    ]
    y = (np.nan_to_num(X[:, 0] + X[:, 1]) > rng.normal(size=80)).tolist()
    w = rng.integers(0, 4, 80)
    params = {"criterion": criterion, "leaf_prediction": "nb", "max_depth": 4}
    weighted = BatchTree(**params).fit(rows, y, w=w)
    many = [i for i in range(80) for _ in range(w[i])]
    repeated = BatchTree(**params).fit([rows[i] for i in many], [y[i] for i in many])
    assert weighted.to_text() == repeated.to_text()
    np.testing.assert_allclose(weighted.score_many(rows), repeated.score_many(rows), atol=1e-9)
    assert weighted.seen == np.count_nonzero(w)
    plain = BatchTree(**params).fit(rows, y)
    assert dumps(BatchTree(**params).fit(rows, y, w=np.ones(80))) == dumps(plain)
    assert dumps(plain) != dumps(weighted)
    with pytest.raises(TypeError, match="BatchTree: w is for a block"):
        plain.fit(list(zip(rows, y, strict=True)), w=w)
