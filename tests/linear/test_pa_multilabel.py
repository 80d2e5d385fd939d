import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from onstream.linear import PAClassifier, PAMultilabel
from onstream.persist import dumps, loads

from ..oracles.passive_aggressive import max_margin_step, step
from ..oracles.side_by_side import eighths, labelled, quick, sparse_rows

VARIANTS = ("PA", "PA-I", "PA-II")
LABELS = list("abcd")


def rows_of(model, d):
    return np.array(
        [
            [model.weights[y].get(i, 0.0) for i in range(d)]
            + ([model.bias[y]] if model.intercept else [])
            for y in model.labels
        ]
    )


def reference(W, x, relevant, variant, C):
    """One step of spec 2.4 on the rows W, and the pair that moved."""
    scores = W @ x
    inside = [r for r in range(len(W)) if r in relevant]
    outside = [r for r in range(len(W)) if r not in relevant]
    if not inside or not outside:
        return W, None
    r = min(inside, key=lambda i: scores[i])
    q = max(outside, key=lambda i: scores[i])
    tau = step(variant, max(0.0, 1.0 - (scores[r] - scores[q])), 2.0 * (x @ x), C)
    W = W.copy()
    W[r] += tau * x
    W[q] -= tau * x
    return W, (r, q)


def tagged(rng, n, d, k=4):
    """A list of (x, set of labels)."""
    X = sparse_rows(rng, n, d)
    truth = rng.normal(size=(k, d))
    return [(x, {LABELS[r] for r in range(k) if truth[r] @ x + rng.normal() > 0.0}) for x in X]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("intercept", [True, False])
def test_follows_the_formulas(variant, intercept):
    rng = np.random.default_rng(1)
    model = PAMultilabel(variant=variant, C=0.1, intercept=intercept, labels=LABELS)
    W = np.zeros((4, 5 + intercept))
    for x, y in tagged(rng, 150, 5):
        weight = float(rng.choice([0.0, 0.5, 1.0, 3.0]))
        model.learn_one(x, y, weight)
        if weight > 0.0:
            z = np.append(x, 1.0) if intercept else x
            W, _ = reference(W, z, {LABELS.index(r) for r in y}, variant, weight * 0.1)
        np.testing.assert_allclose(rows_of(model, 5), W, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_one_label_each_is_multiclass_pa(variant, k):
    """Sets of one: the rows of the max-margin classifier; k = 2 is binary PA with C doubled."""
    labels = LABELS[:k]
    model = PAMultilabel(variant=variant, C=0.2, labels=labels)
    W = np.zeros((k, 6))
    classifier = PAClassifier(variant=variant, C=0.4 if k == 2 else 0.2, labels=labels)
    for x, y, _ in labelled(np.random.default_rng(2), 150, 5, labels, noise=1.0):
        model.learn_one(x, {y})
        classifier.learn_one(x, y)
        W = max_margin_step(W, np.append(x, 1.0), labels.index(y), variant, 0.2)
    found = rows_of(model, 5)
    np.testing.assert_allclose(found, W, rtol=1e-9, atol=1e-12)
    if k == 2:
        difference = np.array([classifier.weights[i] for i in range(5)] + [classifier.bias])
        np.testing.assert_allclose(found[1] - found[0], difference, rtol=1e-9)
    else:
        expected = [[*classifier.weights[y].values(), classifier.bias[y]] for y in labels]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@quick
@given(st.integers(0, 10_000), eighths(3), st.sets(st.sampled_from(LABELS)))
def test_pa_restores_the_margin_of_the_pair(seed, x, y):
    assume(x.any() and 0 < len(y) < 4)
    model = PAMultilabel(variant="PA", labels=LABELS, intercept=False)
    for z, tags in tagged(np.random.default_rng(seed), 10, 3):
        model.learn_one(z, tags)
    before = model.score_one(x)
    up = min((r for r in LABELS if r in y), key=before.__getitem__)
    down = max((r for r in LABELS if r not in y), key=before.__getitem__)
    model.learn_one(x, y)
    after = model.score_one(x)
    if before[up] - before[down] < 1.0:
        assert after[up] - after[down] == pytest.approx(1.0, abs=1e-10)
    else:
        assert after == before
    for r in LABELS:  # no other label moves
        if r not in (up, down):
            assert after[r] == before[r]


def test_another_pair_may_take_over():
    """The example's loss after a step of PA may stay above 0 (erratum 23), and often does."""
    left = 0
    rng = np.random.default_rng(3)
    for _ in range(200):
        model = PAMultilabel(variant="PA", labels=LABELS, intercept=False)
        for z, tags in tagged(rng, 10, 3):
            model.learn_one(z, tags)
        x, y = rng.normal(size=3), {"a", "b"}
        model.learn_one(x, y)
        scores = model.score_one(x)
        margin = min(scores[r] for r in y) - max(scores[r] for r in LABELS if r not in y)
        left += margin < 1.0 - 1e-9
    assert left > 50


def test_empty_and_full_sets_teach_nothing():
    model = PAMultilabel(labels=list("ab"))
    model.learn_one({"x": 1.0}, {"a"})
    before = model.weights
    model.learn_one({"x": 1.0}, set())
    model.learn_one({"x": 1.0}, {"a", "b"})
    assert model.weights == before
    assert model.seen == 3
    new = PAMultilabel()
    new.learn_one({"x": 1.0}, {"a", "b"})  # all that is known
    assert new.weights == {"a": {"x": 0.0}, "b": {"x": 0.0}}


def test_answers():
    model = PAMultilabel(labels=list("abc"), intercept=False, variant="PA")
    model.learn_one({"x": 1.0}, {"b", "c"})
    model.learn_one({"x": 1.0}, {"b"})
    scores = model.score_one({"x": 1.0})
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    assert model.rank_one({"x": 1.0}) == order
    assert model.rank_one({}) == ["a", "b", "c"]  # all level: the earlier known first
    assert model.top_one({"x": 1.0}, 2) == order[:2]
    assert model.top_one({"x": 1.0}, 9) == order
    assert model.predict_one({"x": 1.0}) == {r for r in "abc" if scores[r] > 0.0}
    high = PAMultilabel(init=model, intercept=False, variant="PA", threshold=max(scores.values()))
    assert high.predict_one({"x": 1.0}) == set()
    with pytest.raises(ValueError, match="PAMultilabel: n must be"):
        model.top_one({}, -1)


def test_what_is_a_set():
    same = [
        {"a", "b"},
        frozenset("ab"),
        ["a", "b"],
        ("b", "a"),
        np.array(["a", "b"]),
        ["a", "a", "b"],
    ]
    told = []
    for y in same:
        model = PAMultilabel(labels=list("abc"))
        model.learn_one({"x": 1.0}, y)
        told.append(model.weights)
    assert all(weights == told[0] for weights in told)
    alone, one = PAMultilabel(labels=list("abc")), PAMultilabel(labels=list("abc"))
    alone.learn_one({"x": 1.0}, "a")
    one.learn_one({"x": 1.0}, {"a"})
    assert alone.weights == one.weights


@pytest.mark.parametrize("bad", [None, 0.5, {"a", 1}, [["a"]], {"a": 1}, b"a", [None], 1j])
def test_what_is_no_set(bad):
    model = PAMultilabel(labels=list("abc"))
    before = dumps(model)
    with pytest.raises((TypeError, ValueError), match=r"^PAMultilabel: "):
        model.learn_one({"new": 1.0}, bad)
    with pytest.raises((TypeError, ValueError), match=r"^PAMultilabel: .*row 1\b"):
        model.learn_many([{"new": 1.0}] * 2, [{"d"}, bad])
    assert dumps(model) == before


def test_new_labels_of_a_set_come_in_order():
    """Several at once, whatever the order in which Python keeps the set."""
    model = PAMultilabel()
    model.learn_one({"x": 1.0}, {"zebra", "ant", "mole"})
    assert model.labels == ["ant", "mole", "zebra"]
    model.learn_one({"x": 1.0}, ["yak", "bee"])
    assert model.labels == ["ant", "mole", "zebra", "yak", "bee"]


def test_a_refused_example_brings_no_labels():
    model = PAMultilabel(max_labels=3)
    model.learn_one({"x": 1.0}, {"a", "b"})
    before = dumps(model)
    with pytest.raises(ValueError, match="max_labels"):
        model.learn_one({"y": 1.0}, {"c", "d"})
    with pytest.raises(ValueError, match="overflow"):
        model.learn_one({"y": 1e200}, {"c"})
    with pytest.raises(ValueError, match=r"row 2\b.*max_labels"):
        model.learn_many([{"y": 1.0}] * 3, [{"a"}, {"c"}, {"b", "d"}])
    assert dumps(model) == before


def test_blocks_equal_loops_with_many_new_labels():
    rng = np.random.default_rng(4)
    stream = tagged(rng, 120, 5)
    names = [f"tag {i}" for i in range(30)]
    sets = [set(rng.choice(names, size=rng.integers(0, 4))) | y for _, y in stream]
    sets = [{str(tag) for tag in y} for y in sets]
    X = np.array([x for x, _ in stream])
    loop, block, tested = PAMultilabel(), PAMultilabel(), PAMultilabel()
    expected = []
    for x, y in zip(X, sets, strict=True):
        expected.append(loop.score_one(x))
        loop.learn_one(x, y)
    block.learn_many(X, sets)
    told = tested.predict_learn_many(X, sets, output="score")
    assert dumps(block) == dumps(loop) == dumps(tested)
    for row, scores in zip(told, expected, strict=True):
        known = dict(zip(loop.labels, row.tolist(), strict=True))
        assert {y: s for y, s in known.items() if not np.isnan(s)} == scores


# -- a user's features -------------------------------------------------------------------------


def blocks(x, label):
    """The features that give every label its own weights."""
    return {f"{label}:{i}": v for i, v in enumerate([*x, 1.0])}


@pytest.mark.parametrize("variant", VARIANTS)
def test_block_features_by_hand(variant):
    rng = np.random.default_rng(5)
    native = PAMultilabel(variant=variant, C=0.1)
    by_hand = PAMultilabel(variant=variant, C=0.1, features=blocks)
    for x, y in tagged(rng, 80, 4):
        weight = float(rng.choice([0.0, 0.5, 1.0]))
        native.learn_one(x, y, weight)
        by_hand.learn_one(x, y, weight)
        assert by_hand.labels == native.labels
        assert by_hand.score_one(x) == pytest.approx(native.score_one(x), rel=1e-9, abs=1e-12)
        assert by_hand.seen == native.seen
    assert set(by_hand.weights) >= {f"{y}:0" for y in native.labels}


def shared(x, label):
    """One feature, whatever the label: how often its letters occur in the text."""
    return {"hits": float(x.count(label)), "length": float(len(x)) * (label == "a")}


def test_shared_features_speak_for_new_labels():
    model = PAMultilabel(features=shared)
    for _ in range(10):
        model.learn_one("aab", {"a"})
        model.learn_one("bbc", {"b"})
    assert model.weights["hits"] > 0.0
    model.learn_one("ccc", {"c"})
    assert model.top_one("ccca", 1) == ["c"]


def test_features_and_files():
    model = PAMultilabel(features=shared)
    model.learn_many(["aab", "bbc", "cc"], [{"a"}, {"b"}, {"b", "c"}])
    with pytest.raises(ValueError, match="features"):
        loads(dumps(model))
    twin = loads(dumps(model), features=shared)
    assert dumps(twin) == dumps(model)
    for one in (model, twin):
        one.learn_one("ab", {"a", "b"})
    assert dumps(twin) == dumps(model)
    assert model.predict_many(["ab"]).tolist() == [model.predict_one("ab")]
    assert model.score_many(["ab"]).shape == (1, 3)


def test_a_bad_row_takes_all_back():
    model = PAMultilabel(features=shared)
    model.learn_one("ab", {"a"})
    before = dumps(model)
    with pytest.raises(TypeError, match=r"PAMultilabel: .*row 1\b"):
        model.learn_many(["aab", "bbc"], [{"b"}, {None}])
    with pytest.raises(AttributeError):  # the user's own function fails: 5 has no count
        model.learn_many(["aab", 5], [{"b"}, {"a"}])
    assert dumps(model) == before
    assert model.labels == ["a"]


def test_merging():
    one, two = PAMultilabel(intercept=False), PAMultilabel(intercept=False)
    one.learn_many([{"x": 1.0}, {"y": 1.0}], [{"a"}, {"b"}])
    two.learn_many([{"x": 1.0}, {"z": 1.0}], [{"b"}, {"c"}])
    a, b = one.weights, two.weights
    one.merge(two)
    assert one.labels == ["a", "b", "c"]
    for label in one.labels:
        for feature in "xyz":
            parts = [m.get(label, {}).get(feature, 0.0) for m in (a, b)]
            assert one.weights[label][feature] == pytest.approx(sum(parts) / 2.0)


# -- sets for many rows ----------------------------------------------------------------------------

INDICATORS = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
SETS = [["a"], ["b"], ["a", "b"]]


@pytest.fixture(params=[None, lambda x, label: {f"{i}/{label}": v for i, v in enumerate(x)}])
def sets_model(request):
    return PAMultilabel(features=request.param)


@pytest.mark.parametrize(
    "y",
    [
        INDICATORS,
        INDICATORS.astype(bool),
        INDICATORS.astype(float),
        np.ma.masked_array(INDICATORS, mask=INDICATORS == 1),
        sp.csr_array(INDICATORS),
        pd.DataFrame(INDICATORS, columns=list("uvw")),
        pl.DataFrame({"u": [1, 0, 0], "v": [0, 1, 0], "w": [0, 0, 1]}),
        pa.table({"u": [1, 0, 0], "v": [0, 1, 0], "w": [0, 0, 1]}),
        INDICATORS.tolist(),
        list(INDICATORS),
        {"a", "b", "c"},
        frozenset("abc"),
        {"a": 1, "b": 2, "c": 3},
        np.array(1),
        "abc",
        None,
        3,
    ],
    ids=lambda y: f"{type(y).__name__}",
)
def test_what_is_not_a_set_for_each_row(sets_model, y):
    told = (
        r"^PAMultilabel: (row 0: )?y (must hold a set of labels|looks like indicators).*such as \["
    )
    with pytest.raises((TypeError, ValueError), match=told):
        sets_model.learn_many(np.eye(3), y)
    assert sets_model.seen == 0


@pytest.mark.parametrize("y", [[1, 0, 1], np.array([0, 0, 1]), [True, False, True], (1.0, 1.0)])
def test_indicators_of_one_example(sets_model, y):
    with pytest.raises(ValueError, match=r"^PAMultilabel: y looks like indicators"):
        sets_model.learn_one(np.ones(3), y)
    assert sets_model.seen == 0


@pytest.mark.parametrize(
    "y",
    [
        [[1, 0], [0, 1], [1, 0]],
        [(True, False)] * 3,
        list(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])),
        pa.array([[1, 0], [0, 1], [0, 1]]),
        list(pa.array([[1, 0], [0, 1], [0, 1]])),
    ],
    ids=lambda y: f"{type(y[0]).__name__}",
)
def test_indicators_in_two_columns(sets_model, y):
    """Each row alone could be a set of the labels 0 and 1; all of them together are not."""
    with pytest.raises(ValueError, match=r"^PAMultilabel: y looks like indicators, all rows"):
        sets_model.learn_many(np.eye(3), y)
    assert sets_model.seen == 0


@pytest.mark.parametrize("y", [[[0, 1], [1], [0, 1]], [[0, 1], {0, 1}, [1, 0]], [[0, 1], [1, 2]]])
def test_labels_0_and_1_are_labels(sets_model, y):
    sets_model.learn_many(np.eye(3)[: len(y)], y)
    sets_model.learn_many(np.eye(3)[:1], [[0, 1]])
    assert set(sets_model.labels) == {label for row in y for label in row}


def test_a_frame_is_no_set(sets_model):
    for y in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), np.eye(2)):
        with pytest.raises(TypeError, match=r"^PAMultilabel: y must be a set of labels"):
            sets_model.learn_one(np.ones(3), y)


@pytest.mark.parametrize(
    "y",
    [
        pa.array(SETS),
        pa.chunked_array([SETS[:1], SETS[1:]]),
        pd.Series(SETS),
        pl.Series(SETS),
        list(pa.array(SETS)),
        np.array([*SETS, None], dtype=object)[:3],
    ],
    ids=lambda y: f"{type(y).__name__}",
)
def test_sets_in_columns_of_any_kind(sets_model, y):
    lists = sets_model.clone()
    lists.learn_many(np.eye(3), SETS)
    sets_model.learn_many(np.eye(3), y)
    assert dumps(sets_model) == dumps(lists)


def test_sets_that_are_still_sets(sets_model):
    """One label for each row, rows of texts, and labels that happen to be 0 and 1."""
    for y in (["a", "b", "a"], np.array([["a", "b"], ["b", "c"], ["a", "c"]]), [[0, 1], [1], {0}]):
        model = sets_model.clone()
        model.learn_many(np.eye(3), y)
        assert model.seen == 3
    with pytest.raises(TypeError, match=r"^PAMultilabel: row 0: y must be a set of labels"):
        sets_model.learn_many(np.eye(3), pa.array([{"a": 1}, {"a": 2}, {"a": 3}]))
