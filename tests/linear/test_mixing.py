"""merge_kind "mixing": the average of the weights, weighted by how much each has seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream import (
    RLS,
    LinearRegression,
    LogisticRegression,
    NotMergeable,
    PAClassifier,
    Perceptron,
)

from ..oracles.side_by_side import form, labelled, measured, quick, rows

CLASSIFIERS = {
    "perceptron": lambda **more: Perceptron(gamma=0.9, **more),
    "pa": lambda **more: PAClassifier(C=0.3, **more),
    "logistic": lambda **more: LogisticRegression(l2=0.05, **more),
}
LEARNERS = {**CLASSIFIERS, "regression": lambda **more: LinearRegression(l2=0.05, **more)}
every_classifier = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)


def learned(model, n, seed, labels="ab", kind="dense", d=4):
    rng = np.random.default_rng(seed)
    if hasattr(model, "labels"):
        stream = labelled(rng, n, d, list(labels), noise=0.5)
    else:
        stream = measured(rng, n, d)
    for x, y, _ in stream:
        model.learn_one(form(x, kind), y)
    return model


@every_learner
@pytest.mark.parametrize("kind", ["dict", "dense"])
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_mixing_formula(make, labels, kind):
    one, other = make(labels=list(labels)) if make in CLASSIFIERS.values() else make(), None
    other = one.clone()
    learned(one, 30, 0, labels, kind)
    learned(other, 90, 1, labels, kind)
    expected = (30 * rows(one, 4, kind) + 90 * rows(other, 4, kind)) / 120
    theirs = rows(other, 4, kind)
    assert one.merge(other) is None
    np.testing.assert_allclose(rows(one, 4, kind), expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(rows(other, 4, kind), theirs)
    assert one.seen == 120
    assert other.seen == 90
    assert type(one).merge_kind == "mixing"


@every_learner
def test_a_feature_unknown_to_one_weighs_nothing_there(make):
    one, other = make(), make()
    y = ["a", "b"] if hasattr(one, "labels") else [1.0, -1.0]
    one.learn_one({"left": 1.0, "shared": 2.0}, y[0])
    one.learn_one({"left": 1.0}, y[1])
    other.learn_one({"shared": 1.0, "right": -1.0}, y[0])
    mine, theirs = one.weights, other.weights
    one.merge(other)
    expected = {
        name: (2 * mine.get(name, 0.0) + theirs.get(name, 0.0)) / 3
        for name in ("left", "shared", "right")
    }
    assert one.weights == pytest.approx(expected, rel=1e-14, abs=0.0)


@every_learner
def test_columns_and_names_are_the_same_feature(make):
    one, other = make(), make()
    y = ["a", "b"] if hasattr(one, "labels") else [1.0, -1.0]
    one.learn_one(np.array([1.0, 2.0]), y[0])
    other.learn_one({"1": 3.0, "new": 1.0}, y[0])
    mine, theirs = rows(one, 2)[0], other.weights
    one.merge(other)
    assert one.weights[0] == pytest.approx(mine[0] / 2.0, rel=1e-14, abs=0.0)
    assert one.weights[1] == pytest.approx((mine[1] + theirs["1"]) / 2.0, rel=1e-14, abs=0.0)
    assert one.weights["new"] == pytest.approx(theirs["new"] / 2.0, rel=1e-14, abs=0.0)


@every_classifier
def test_labels_met_in_another_order(make):
    """For one model "a" is -1, for the other +1; both mean the same."""
    one, other = make(), make()
    for label in "abab":
        one.learn_one({label: 1.0, "c": 0.5}, label)
    for label in "ba":
        other.learn_one({label: 1.0, "c": -0.25}, label)
    mine, theirs = one.weights, other.weights
    one.merge(other)
    assert one.labels == ["a", "b"]
    expected = {name: (4 * mine[name] - 2 * theirs[name]) / 6 for name in mine}
    assert one.weights == pytest.approx(expected, rel=1e-14, abs=0.0)
    assert one.predict_one({"a": 1.0}) == "a"
    assert one.predict_one({"b": 1.0}) == "b"


@every_classifier
@pytest.mark.parametrize("labels", [(1, 0), (True, False)])
def test_one_and_true_are_positive_whoever_came_first(make, labels):
    one, other = make(), make()
    for label in labels:
        one.learn_one({str(label): 1.0}, label)
    for label in reversed(labels):
        other.learn_one({str(label): 1.0}, label)
    mine, theirs = one.weights, other.weights
    one.merge(other)
    assert one.labels == list(labels)
    assert one.weights == pytest.approx(
        {n: (mine[n] + theirs[n]) / 2 for n in mine}, rel=1e-14, abs=0.0
    )


@every_classifier
def test_one_label_each(make):
    one, other = make(intercept=False), make(intercept=False)
    one.learn_one({"x": 1.0}, "a")
    other.learn_one({"y": 1.0}, "b")
    one.merge(other)
    assert one.labels == ["a", "b"]
    assert one.weights["x"] < 0.0 < one.weights["y"]
    assert one.predict_one({"x": 1.0}) == "a"
    assert one.predict_one({"y": 1.0}) == "b"


@every_classifier
def test_two_labels_meet_three(make):
    """The two are first split into -w/2 and +w/2."""
    two, three = learned(make(), 20, 2, "ab"), learned(make(), 60, 3, "abc")
    halves = dict(zip(two.labels, [-0.5 * rows(two, 4)[0], 0.5 * rows(two, 4)[0]], strict=True))
    whole = dict(zip(three.labels, rows(three, 4), strict=True))
    expected = {y: (20 * halves.get(y, 0.0) + 60 * whole[y]) / 80 for y in "abc"}
    for one, other in ((make(init=two), three), (make(init=three), two)):
        one.merge(other)
        assert sorted(one.labels) == ["a", "b", "c"]
        found = dict(zip(one.labels, rows(one, 4), strict=True))
        for y in "abc":
            np.testing.assert_allclose(found[y], expected[y], rtol=1e-13, atol=1e-15)


@every_classifier
def test_two_and_two_labels_make_three(make):
    left, right = make(intercept=False), make(intercept=False)
    for label in "ab":
        left.learn_one({label: 1.0}, label)
    for label in "bc":
        right.learn_one({label: 1.0}, label)
    w, v = left.weights, right.weights
    left.merge(right)
    assert left.labels == ["a", "b", "c"]
    expected = {
        "a": {"a": -w["a"] / 4, "b": -w["b"] / 4, "c": 0.0},
        "b": {"a": w["a"] / 4, "b": w["b"] / 4 - v["b"] / 4, "c": -v["c"] / 4},
        "c": {"a": 0.0, "b": v["b"] / 4, "c": v["c"] / 4},
    }
    for label, row in expected.items():
        assert left.weights[label] == pytest.approx(row, rel=1e-14, abs=1e-16)


@every_learner
def test_merging_with_an_unlearned_model(make):
    one = learned(make(), 30, 4)
    before = rows(one, 4)
    one.merge(make())
    np.testing.assert_allclose(rows(one, 4), before, rtol=1e-14)
    assert one.seen == 30
    fresh = make()
    fresh.merge(one)
    np.testing.assert_allclose(rows(fresh, 4), before, rtol=1e-14)
    assert fresh.seen == 30


@every_learner
def test_a_merged_model_goes_on(make):
    one, other = learned(make(), 30, 5), learned(make(), 50, 6)
    one.merge(other)
    again = make(init=one)
    learned(one, 20, 7)
    learned(again, 20, 7)
    assert one.weights == again.weights
    assert one.seen == 100


@every_learner
def test_hashed_models(make):
    one, other = make(hash_bits=3), make(hash_bits=3)
    learned(one, 20, 8, kind="dict", d=12)
    learned(other, 60, 9, kind="dict", d=12)
    sign = 1.0 if not hasattr(one, "labels") or one.labels == other.labels else -1.0
    mine, theirs = one.weights, other.weights
    expected = [(20 * mine.get(s, 0.0) + sign * 60 * theirs.get(s, 0.0)) / 80 for s in range(8)]
    one.merge(other)
    found = [one.weights.get(slot, 0.0) for slot in range(8)]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_rates_go_on_from_the_sum_of_what_both_have_seen():
    one, other = (LinearRegression(eta=0.5, schedule="sqrt", intercept=False) for _ in range(2))
    learned(one, 3, 10)
    learned(other, 5, 11)
    one.merge(other)
    one.learn_one({"new": 1.0}, 1.0)
    assert one.weights["new"] == pytest.approx(0.5 / 3.0, rel=1e-14, abs=0.0)  # n = 9


def test_a_schedule_that_was_reset_counts_from_there():
    parameters = {"eta": 0.5, "schedule": "sqrt", "intercept": False}
    old = learned(LinearRegression(**parameters), 7, 10)
    one, other = LinearRegression(**parameters, init=old), LinearRegression(**parameters, init=old)
    for model in (one, other):
        model.reset_schedule()
    learned(one, 3, 12)
    learned(other, 5, 11)
    one.merge(other)
    assert one.seen == 22
    one.learn_one({"new": 1.0}, 1.0)
    assert one.weights["new"] == pytest.approx(0.5 / 3.0, rel=1e-14, abs=0.0)  # n = 9


def test_updates_of_the_perceptron_add_up():
    one, other = learned(Perceptron(), 30, 12), learned(Perceptron(), 50, 13)
    total = one.updates + other.updates
    one.merge(other)
    assert one.updates == total


@every_learner
def test_what_cannot_be_merged(make):
    one = learned(make(), 10, 14)
    before = one.weights
    with pytest.raises(NotMergeable, match="intercept"):
        one.merge(make(intercept=False))
    with pytest.raises(NotMergeable, match="hash_bits"):
        one.merge(make(hash_bits=4))
    with pytest.raises(NotMergeable, match="itself"):
        one.merge(one)
    with pytest.raises(NotMergeable, match="RLS"):
        one.merge(RLS())
    assert one.weights == before


@quick
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_merging_three_in_any_order_gives_the_same(a, b, c):
    """The average weighted by `seen` is associative and commutative."""
    models = [learned(LinearRegression(), n, seed) for seed, n in enumerate((a, b, c))]
    expected = sum(m.seen * rows(m, 4) for m in models) / max(1, a + b + c)
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        first, second, third = (LinearRegression(init=models[i]) for i in order)
        first.merge(second)
        first.merge(third)
        np.testing.assert_allclose(rows(first, 4), expected, rtol=1e-12, atol=1e-14)
        left, middle, right = (LinearRegression(init=models[i]) for i in order)
        middle.merge(right)
        left.merge(middle)
        np.testing.assert_allclose(rows(left, 4), expected, rtol=1e-12, atol=1e-14)
