"""Trees of very many levels: a time stamp among the features makes a chain of questions."""

import threading

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import (
    CVFDT,
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)

SMALL_STACK = 512 * 1024  # bytes: a function that calls itself at each level would run out of it


def deepened(model, levels):
    """Put a chain of that many questions, `x0 <= 0`, `x0 <= 1`, ..., in the place of its tree;
    the root keeps what it knows."""
    fields = model._model.export()
    n = 2 * levels + 1
    at_root = fields["tables"][:, 0] == 0
    active = int(fields["nodes"][0, 3])
    nodes = np.full((n, 5), [-1, 0, -1, 0, 0], dtype=np.int64)
    nodes[0:-1:2, :2] = 0, 2  # each question comes before its two branches, the first is a leaf
    nodes[0, 3] = active
    numbers = np.zeros((n, 9))
    numbers[0] = fields["node_numbers"][0]
    numbers[0:-1:2, 0] = np.arange(levels)
    numbers[:, 7] = 0.5
    numbers[1:, 1] = numbers[1:, 2] = 10.0
    counts = np.ones((n, fields["node_counts"].shape[1]))
    counts[0] = fields["node_counts"][0]
    fields |= {"nodes": nodes, "node_numbers": numbers, "node_counts": counts}
    for name in ("tables", "table_numbers", "table_values"):
        fields[name] = fields[name][at_root]
    if "merits" in fields:
        fields["merits"] = np.vstack(
            [fields["merits"][:1], np.zeros((n - 1, fields["merits"].shape[1]))]
        )
    if "standings" in fields:
        fields["nodes"][:, 3] = 1
        fields |= {"standings": np.zeros((n, 2), dtype=np.int64), "standing_errors": np.zeros(n)}
    model._restore(fields)
    return model


def small(cls, **params):
    """A tree that has met 300 rows; the second of its two features tells the labels apart."""
    model = cls(**params)
    X = np.random.default_rng(0).random((300, 2))
    model.learn_many(X, X[:, 1] > 0.5)
    return model


def with_little_stack(function):
    """Call it in a thread with a small stack; what it answers."""
    told = []
    before = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=lambda: told.append(function()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return told[0]


def test_a_time_stamp_makes_a_chain():
    """The chains below are not far-fetched: here is an honest one."""
    tree = HoeffdingTreeClassifier(grace_period=20, delta=0.1)
    t = np.arange(4_000.0)
    tree.learn_many(t[:, None], (t // 40 % 2).astype(int))
    assert tree.depth > 40


@pytest.mark.parametrize("levels", [1_200, 5_000])
def test_deep_trees_can_be_looked_at(levels):
    tree = deepened(small(HoeffdingTreeClassifier), levels)
    assert tree.depth == levels
    assert tree.n_nodes == 2 * levels + 1
    assert tree.feature_importances == {0: 1.0}
    assert tree.to_dot().count("->") == 2 * levels
    told = tree.explain_one([levels - 0.5, 0.0])
    assert len(told.path) == levels
    assert told.path[-2:] == [f"0 > {levels - 2:.6g}", f"0 > {levels - 1:.6g}"]
    assert len(str(told)) < 1_000 * levels


def test_text_and_pictures_of_deep_trees_say_how_much_they_leave_out():
    tree = deepened(small(HoeffdingTreeClassifier), 1_200)
    left_out = f"… {2 * 1_100:,} nodes below"
    text = tree.to_text()
    assert len(text.splitlines()) == 201
    assert text.endswith(f"0 > 99: {left_out}")
    assert left_out in tree.to_svg()
    assert left_out in tree.to_html()
    assert "… 2,390 nodes below" in tree._repr_html_()
    assert len(tree.to_text(max_depth=500).splitlines()) == 1_001  # whoever asks for more gets it
    assert "nodes below" not in deepened(tree, 100).to_text()


def test_the_regressor_of_many_levels_can_be_looked_at():
    """Deep by itself: its targets follow the time."""
    tree = HoeffdingTreeRegressor(grace_period=10, delta=0.5, leaf_prediction="mean")
    t = np.arange(30_000.0)
    tree.learn_many(t[:, None], t)
    assert tree.depth > 1_000
    assert "nodes below" in tree.to_text()
    assert tree.feature_importances == {0: 1.0}
    assert loads(dumps(tree)).depth == tree.depth


def test_a_question_that_is_taken_back_gives_up_a_deep_chain():
    tree = small(ExtremelyFastDecisionTree, grace_period=50, reevaluate=300)
    deepened(tree, 30_000)
    X = np.column_stack([np.full(300, 0.5), np.linspace(0.0, 1.0, 300)])

    def learn():
        tree.learn_many(X, X[:, 1] > 0.5)
        return tree.n_nodes

    assert with_little_stack(learn) < 10


def test_memory_is_rationed_in_a_deep_tree():
    tree = deepened(small(HoeffdingTreeClassifier, max_bytes=20_000), 30_000)
    with_little_stack(lambda: tree.learn_one([1e9, 0.5], True))
    assert tree.seen == 301


def nested(model, levels):
    """A leaf with an alternate that has an alternate, and so on, in the place of its tree."""
    fields, n = model._model.export(), levels + 1
    fields["nodes"] = np.full((n, 5), [-1, 0, -1, 1, 0], dtype=np.int64)
    fields["node_numbers"] = np.repeat(fields["node_numbers"][:1], n, axis=0)
    fields["node_counts"] = np.repeat(fields["node_counts"][:1], n, axis=0)
    for name in ("tables", "table_numbers", "table_values"):
        fields[name] = fields[name][:0]
    owners = np.arange(levels)
    if "standings" in fields:
        for name in ("window_x", "window_y", "window_w", "window_ids"):
            fields[name] = fields[name][:0]
        fields |= {
            "standings": np.ones((n, 2), dtype=np.int64),
            "standing_errors": np.zeros(n),
            "rivals": np.column_stack([owners, owners * 0]),
            "rival_numbers": np.zeros((levels, 2)),
        }
    else:
        fields |= {
            "alternate_of": owners,
            "windows": np.zeros((n, 2), dtype=np.int64),
            "window_sums": np.zeros((n, 2)),
            "window_counts": np.zeros(0),
            "window_buckets": np.zeros((0, 5, 2)),
        }
    model._restore(fields)
    return model


@pytest.mark.parametrize("cls", [CVFDT, HoeffdingAdaptiveTreeClassifier])
def test_alternates_are_not_nested_without_end(cls):
    """A file that says so would end in a crash as soon as the model learned."""
    model = nested(small(cls), 100)
    rng = np.random.default_rng(0)
    for share in (0.0, 0.3, 0.6):  # errors become more and more: alternates are started
        X = rng.random((500, 2))
        model.learn_many(X, (X[:, 1] > 0.5) ^ (rng.random(500) < share))
    loads(dumps(model))
    with pytest.raises(ValueError, match="more than 100 alternates are nested"):
        nested(small(cls), 101)


def test_the_questions_of_a_deep_tree_are_checked():
    tree = deepened(small(CVFDT, check_every=301), 30_000)
    with_little_stack(lambda: tree.learn_one([0.5, 0.5], True))
    assert tree.seen == 301
