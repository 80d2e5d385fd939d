"""CVFDT: every node is the tally of the window."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from onstream.persist import dumps, loads
from onstream.tree import CVFDT, HAT, VFDT
from onstream.tree import ExtremelyFastDecisionTree as EFDT


class Saved:
    """The trees of an exported state: the main one and its alternates, node by node."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.nodes, self.numbers = fields["nodes"], fields["node_numbers"]
        self.children: list[list[int]] = [[] for _ in self.nodes]
        self.alternates: list[list[int]] = [[] for _ in self.nodes]
        roots, waiting = [], []  # waiting: inner nodes with children still to come
        for at, (feature, *_) in enumerate(self.nodes.tolist()):
            if waiting:
                self.children[waiting[-1]].append(at)
            else:
                roots.append(at)
            if feature >= 0:
                waiting.append(at)
            while waiting and len(self.children[waiting[-1]]) == self.nodes[waiting[-1], 1]:
                waiting.pop()
        for root, (owner, _) in zip(roots[1:], fields["rivals"].tolist(), strict=True):
            self.alternates[owner].append(root)

    def way(self, x: Any, at: int = 0) -> Iterator[int]:
        """All nodes that an example passes, in the tree and in the alternates on its way."""
        yield at
        for root in self.alternates[at]:
            yield from self.way(x, root)
        feature, _, _, _, nominal = self.nodes[at]
        if feature < 0:
            return
        children = self.children[at]
        if np.isnan(x[feature]):
            yield from self.way(x, max(children, key=lambda i: self.numbers[i, 1]))
        elif nominal:
            for child in children:
                if self.nodes[child, 2] == x[feature]:
                    yield from self.way(x, child)
        else:
            yield from self.way(x, children[int(x[feature] > self.numbers[at, 0])])


def assert_tally(model: Any) -> int:
    """Every node's counts and tables are those of the window examples whose way meets it and
    whose ID is at least its own; how many nodes there are."""
    told = model._model.export()
    X = np.where(told["window_x"] == 1e200, np.nan, told["window_x"])  # missing in files
    y, w, ids = told["window_y"], told["window_w"], told["window_ids"]
    trees, numbers = Saved(told), told["standings"][:, 0]
    n, k, width = len(numbers), len(model.labels), X.shape[1]
    counts = np.zeros((n, k))
    weight = np.zeros((n, k, width))
    total = np.zeros((n, k, width))
    seen: dict[tuple[int, int, int], list[tuple[float, float]]] = {}
    values = np.zeros((n, k, len(told["values"])))
    cell = {tuple(pair): i for i, pair in enumerate(told["values"].tolist())}
    for x, label, importance, id_ in zip(X, y, w, ids, strict=True):
        for at in trees.way(x):
            if id_ < numbers[at]:
                continue
            counts[at, label] += importance
            for f in np.flatnonzero(~np.isnan(x)):
                weight[at, label, f] += importance
                total[at, label, f] += importance * x[f]
                seen.setdefault((at, label, f), []).append((x[f], importance))
                if told["kinds"][f] == 2:
                    values[at, label, cell[f, int(x[f])]] += importance
    known = told["node_counts"]
    np.testing.assert_allclose(known, counts[:, : known.shape[1]], atol=1e-9)
    assert not counts[:, known.shape[1] :].any()
    np.testing.assert_allclose(told["node_numbers"][:, 2], counts.sum(axis=1), atol=1e-9)
    tables = np.zeros((n, k, width))
    means = np.zeros((n, k, width))
    cells = np.zeros_like(values)
    for (at, label), table, own in zip(
        told["tables"], told["table_numbers"], told["table_values"], strict=True
    ):
        tables[at, label], means[at, label] = table[0], table[1]
        cells[at, label] = own
        assert (table[2] >= 0.0).all()
    np.testing.assert_allclose(tables, weight, atol=1e-9)
    np.testing.assert_allclose(cells, values, atol=1e-9)
    numeric = told["kinds"] == 1
    np.testing.assert_allclose(
        (means * tables)[:, :, numeric], total[:, :, numeric], rtol=1e-6, atol=1e-6
    )
    table_of = dict(zip(places(told), told["table_numbers"], strict=True))
    for (at, label, f), pairs in seen.items():
        if numeric[f]:
            v, m = np.array(pairs).T
            mean = np.average(v, weights=m)
            _, _, m2, low, high = table_of[at, label][:, f]
            assert m2 == pytest.approx((m * (v - mean) ** 2).sum(), abs=1e-6)
            assert low <= v.min()  # those since the node was made are not forgotten
            assert high >= v.max()
    return n


def places(told: dict[str, Any]) -> list[tuple[int, int]]:
    return [(int(at), int(label)) for at, label in told["tables"]]


row = st.fixed_dictionaries(
    {"c": st.sampled_from(["red", "green", "blue"]), "n": st.integers(0, 3).map(float)},
    optional={"m": st.integers(-2, 2).map(float), "late": st.sampled_from(["x", "y", None])},
)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(row, st.sampled_from("ab"), st.sampled_from([1.0, 1.0, 2.0])), max_size=160),
    st.integers(1, 60),
    st.randoms(use_true_random=False),
)
def test_every_node_is_the_tally_of_its_window(rows: list[Any], window: int, rng: Any) -> None:
    model = CVFDT(
        window=window, grace_period=8, delta=0.4, tau=0.4, check_every=15, test_every=10,
        test_length=5,
    )  # fmt: skip
    for i, (x, y, w) in enumerate(rows):
        # A concept to split on, which changes, with the drawn label as noise.
        label = ("a" if x["c"] == "red" else "b") if i < 80 else ("a" if x["n"] > 1 else "b")
        model.learn_one(x, label if rng.random() < 0.9 else y, w)
        if i % 20 == 19:
            assert_tally(model)
    if rows:
        assert_tally(model)


def test_the_tally_through_switches() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (6000, 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    concept = np.arange(6000) // 1500 % 2
    y = np.where(concept == 0, X[:, 0] == 1, X[:, 2] == 1) ^ (rng.random(6000) < 0.05)
    model = CVFDT(
        window=800, grace_period=50, delta=0.01, check_every=200, test_every=300, test_length=50
    )
    most = 0
    for start in range(0, 6000, 500):
        model.learn_many(X[start : start + 500], y[start : start + 500])
        most = max(most, assert_tally(model))
    assert model.n_alternates > 0
    assert model.n_switches > 0
    assert most > 5
    twin = loads(dumps(model))
    assert dumps(twin) == dumps(model)
    for other in (model, twin):
        other.learn_many(X, y)
    assert dumps(twin) == dumps(model)
    assert_tally(twin)


def test_the_root_is_the_whole_window() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 3))
    model = CVFDT(window=500)
    model.learn_many(X, X[:, 0] > 0)
    told = model._model.export()
    assert told["node_counts"][0].sum() == 500
    tables = told["table_numbers"][told["tables"][:, 0] == 0]
    for table, label in zip(tables, told["tables"][:, 1], strict=False):
        rows = X[400:][(X[400:, 0] > 0) == model.labels[label]]
        assert table[0].tolist() == [len(rows)] * 3
        np.testing.assert_allclose(table[1], rows.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(table[2] / len(rows), rows.var(axis=0), rtol=1e-9)
        assert (table[3] <= rows.min(axis=0)).all()  # minima are not forgotten
        assert (table[4] >= rows.max(axis=0)).all()


def test_it_reacts_to_a_swap() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (12_000, 6)).astype(float)
    y = np.where(np.arange(12_000) < 6000, X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]) > 0
    model = CVFDT(window=6000, check_every=500, test_every=500, test_length=100)
    told = model.predict_learn_many(X, y)
    wrong = np.array([a != b for a, b in zip(told, y, strict=True)])
    assert wrong[5000:6000].mean() < 0.02
    assert wrong[11_000:].mean() < 0.15


def test_parameters() -> None:
    with pytest.raises(ValueError, match=r"^CVFDT: window"):
        CVFDT(window=0)


@pytest.mark.parametrize("make", [CVFDT, EFDT, HAT, VFDT])
def test_a_file_with_dropped_features_is_refused(make: Any) -> None:
    """Only a tree that is short of memory drops features: others would forget what is not there."""
    rows = [{"a": float(i % 7), "b": float(i % 2)} for i in range(60)]
    model = make()
    model.learn_many(rows, [int(x["b"]) for x in rows])
    told = model._model.export()
    told["hidden"] = np.array([[0, 0]])
    told["table_numbers"][:, :, 0] = 0.0
    with pytest.raises(ValueError, match="this tree drops none"):
        make()._restore(told)


def test_a_window_with_examples_older_than_the_root_is_saved_and_loaded() -> None:
    """An alternate took over at the root; a label was last seen before it began."""
    rng = np.random.default_rng(0)
    model = CVFDT(
        window=5000,
        check_every=100,
        test_every=50,
        test_length=20,
        grace_period=30,
        delta=0.1,
        max_depth=1,
        leaf_prediction="mc",
    )
    for i in range(4000):
        x = {"a": int(rng.integers(2)), "b": int(rng.integers(2))}
        y = "once" if i < 20 else str(x["a"] if i < 1000 else x["b"])
        model.learn_one(x, y)
    assert model._root().feature == "b"
    assert model._root().counts["once"] == 0.0
    twin = loads(dumps(model))
    for m in (model, twin):
        m.learn_many([{"a": i % 2, "b": i % 3 % 2} for i in range(3000)], ["0", "1"] * 1500)
    assert dumps(twin) == dumps(model)
