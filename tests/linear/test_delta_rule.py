"""The delta rule for labels (DeltaRule) and for numbers (LMS)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import LMS, DeltaRule, LinearRegression

from ..oracles import delta_rule as oracle
from ..oracles.side_by_side import KINDS, eighths, follow, labelled, measured, quick, rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], [1, 0, 2], list("abcde")])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_labels_follow_the_formulas(labels, kind, weighted, intercept):
    stream = labelled(np.random.default_rng(1), 80, 5, labels, weighted=weighted)
    params = {"eta": 0.03, "intercept": intercept}
    follow(DeltaRule(**params), oracle.DeltaRule(5, **params), stream, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_numbers_follow_the_formulas(kind, weighted, normalized, intercept):
    stream = measured(np.random.default_rng(1), 80, 5, weighted=weighted)
    for c in (0.0, 0.7):
        params = {"eta": 0.05, "normalized": normalized, "c": c, "intercept": intercept}
        follow(LMS(**params), oracle.LMS(5, **params), stream, kind)


@quick
@given(eighths(4), eighths(()), st.sampled_from([0.01, 0.1, 1.0]), st.booleans())
def test_the_error_shrinks_by_a_factor(x, y, eta, intercept):
    """New error on the same x: (1 - eta |x|^2) (y - o)."""
    size = x @ x + intercept
    for normalized in (False, True):
        model = LMS(eta=eta, normalized=normalized, intercept=intercept)
        model.learn_one(np.array([0.5, -1.0, 2.0, 0.25]), 1.5)
        before = y - model.predict_one(x)
        model.learn_one(x, float(y))
        factor = 1.0 - eta * (float(size > 0.0) if normalized else size)
        scale = max(1.0, abs(before)) * max(1.0, eta * size)
        assert abs(y - model.predict_one(x) - factor * before) <= 1e-12 * scale


@quick
@given(eighths(4), st.sampled_from(["ham", "spam"]), st.sampled_from([0.01, 0.1]))
def test_it_learns_from_right_answers_too(x, y, eta):
    """Erratum 12: only an output of exactly -1 or +1 leaves the weights alone."""
    model = DeltaRule(eta=eta, labels=["ham", "spam"], intercept=False)
    model.learn_one(np.array([0.5, -1.0, 2.0, 0.25]), "spam")
    target, before = (1.0 if y == "spam" else -1.0), model.score_one(x)
    model.learn_one(x, y)
    expected = (1.0 - eta * (x @ x)) * (target - before)
    assert abs(target - model.score_one(x) - expected) <= 1e-11 * max(1.0, abs(before), x @ x)


def test_the_class_is_the_side_of_the_midpoint():
    model = DeltaRule(eta=0.25, intercept=False)
    model.learn_one({"a": 1.0}, False)
    model.learn_one({"b": 1.0}, True)
    assert model.score_one({"a": 1.0}) == -0.25
    assert model.predict_one({"a": 1.0}) is False
    assert model.predict_one({"a": 1.0, "b": 1.0}) is True  # an output of 0


def test_two_labels_are_one_vs_rest_from_the_start():
    """Promotion to rows -w and +w: as if each label had had its own weights all the time."""
    stream = labelled(np.random.default_rng(2), 100, 5, ["a", "b"])
    late, early = DeltaRule(eta=0.05), DeltaRule(eta=0.05, labels=["b", "a", "c"])
    for x, y, _ in stream:
        late.learn_one(x, y)
        early.learn_one(x, y)
    late = DeltaRule(eta=0.05, labels=["b", "a", "c"], init=late)
    np.testing.assert_allclose(rows(late, 5)[:2], rows(early, 5)[:2], rtol=1e-12)
    assert not rows(late, 5)[2].any()


def test_merging_keeps_the_scale_of_the_rows():
    """A learner of two labels merged with one of three: -w and +w, not halves of them."""
    two, three = DeltaRule(eta=0.1), DeltaRule(eta=0.1, labels=["b", "a", "c"])
    for x, y, _ in labelled(np.random.default_rng(2), 50, 3, ["a", "b"]):
        two.learn_one(x, y)
        three.learn_one(x, y)
    expected = rows(three, 3)
    two.merge(three)
    merged = rows(two, 3)
    np.testing.assert_allclose(merged[:2], expected[:2], rtol=1e-12)


def test_plain_lms_is_linear_regression():
    stream = measured(np.random.default_rng(3), 100, 5)
    for normalized in (False, True):  # with an intercept both divide by 1 + |x|^2
        one = LMS(eta=0.1, normalized=normalized)
        two = LinearRegression(eta=0.1, normalized=normalized)
        for x, y, _ in stream:
            one.learn_one(x, y)
            two.learn_one(x, y)
        np.testing.assert_allclose(rows(one, 5), rows(two, 5), rtol=1e-12)


def test_an_example_without_features_teaches_nlms_nothing():
    model = LMS(eta=1.0, normalized=True, intercept=False)
    model.learn_one({"a": 0.0}, 5.0)
    model.learn_one({}, 5.0)
    assert model.weights == {"a": 0.0}
    assert model.seen == 2
