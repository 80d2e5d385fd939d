import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import ALMA

from ..oracles import alma as oracle
from ..oracles.side_by_side import KINDS, follow, labelled, quick, rows, separable_blocks

# -- one step -------------------------------------------------------------------------------------


def test_steps_by_hand():
    model = ALMA(alpha=0.5, B=1.0, C=1.0, intercept=False)
    model.learn_one({"a": 3.0}, 1)  # k = 1: w = 1 * x / |x|
    assert model.weights == {"a": 1.0}
    model.learn_one({"a": 2.0}, 1)  # margin 1 > 0.5 / sqrt(2): enough
    assert model.updates == 1
    model.learn_one({"b": -4.0}, 0)  # k = 2, margin 0: w' = (1, 1 / sqrt(2)), then |w| = 1
    assert model.updates == 2
    expected = {"a": 1.0 / math.sqrt(1.5), "b": 1.0 / math.sqrt(3.0)}
    assert model.weights == pytest.approx(expected, rel=1e-15)


def test_a_short_step_is_not_made_longer():
    """Only weights outside of the unit ball are scaled."""
    model = ALMA(C=0.25, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    assert model.weights == {"a": 0.25}


def test_the_length_of_an_example_does_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(2, size=200)
    scales = 2.0 ** rng.integers(-8, 8, size=(200, 1))
    plain, scaled = ALMA(intercept=False), ALMA(intercept=False)
    plain.learn_many(X, y)
    scaled.learn_many(scales * X, y)
    assert plain.weights == scaled.weights


def test_the_margin_asked_for_falls_with_the_corrections():
    """At alpha = 0.5 and B = 2 the k-th correction is made up to a margin of 1 / sqrt(k)."""
    model = ALMA(alpha=0.5, B=2.0, C=1.0, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    assert model.score_one({"a": 1.0}) == 1.0
    for _ in range(3):
        model.learn_one({"a": 1.0}, 1)  # 1 > 1 / sqrt(2)
    assert model.updates == 1
    assert ALMA(alpha=0.5).params["B"] is None


def test_mistakes_only_at_alpha_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = np.where(X @ rng.normal(size=3) + 0.3 * rng.normal(size=300) > 0.0, 1, -1)
    model = ALMA(alpha=1.0, intercept=False)
    margins = y * model.predict_learn_many(X, y, output="score")
    assert model.updates == np.sum(margins <= 0.0)


def test_a_new_schedule_counts_from_one():
    old = ALMA(alpha=1.0, C=1.0, intercept=False)
    for label in (1, 0, 1, 0):
        old.learn_one({"a": 1.0}, label)
    new = ALMA(alpha=1.0, C=1.0, intercept=False, init=old)
    new.reset_schedule()
    assert (old.updates, new.updates) == (3, 0)
    new.learn_one({"b": 1.0}, 1)
    assert new.weights["b"] == pytest.approx(1.0 / math.sqrt(1.0 + old.weights["a"] ** 2))


# -- bounds ---------------------------------------------------------------------------------------


@quick
@given(separable_blocks(most_rows=40), st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_mistake_bound_on_separable_data(data, alpha):
    """Theorem 3: with B = sqrt(8) / alpha at most 2 / g^2 (2 / alpha - 1)^2 + 8 / alpha - 4
    corrections, where g is the margin that a unit vector has on examples of length 1."""
    X, y, u = data
    g = np.min(y * (X @ u) / np.linalg.norm(X, axis=1)) / np.linalg.norm(u)
    model = ALMA(alpha=alpha, B=math.sqrt(8.0) / alpha, intercept=False)
    bound = 2.0 / g**2 * (2.0 / alpha - 1.0) ** 2 + 8.0 / alpha - 4.0
    for _ in range(20):
        model.learn_many(X, y)
    assert model.updates <= bound * (1.0 + 1e-12)


def test_the_margin_comes_near_the_largest():
    """On separable data, learned until nothing changes, it is at least (1 - alpha) of the best."""
    rng = np.random.default_rng(2)
    u = np.array([0.6, 0.8])
    X = rng.normal(size=(400, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = np.vstack([X[np.abs(X @ u) > 0.3], [[0.96, -0.28], [-0.96, 0.28]]])  # the best margin: 0.3
    y = np.where(X @ u > 0.0, 1, -1)
    best = max(np.min(y * (X @ [math.cos(a), math.sin(a)])) for a in np.linspace(0, 7, 100_000))
    for alpha in (0.9, 0.3, 0.1):
        model = ALMA(alpha=alpha, B=math.sqrt(8.0) / alpha, intercept=False)
        for _ in range(1000):
            before = model.updates
            model.learn_many(X, y)
            if model.updates == before:
                break
        else:
            pytest.fail("it does not converge")
        w = rows(model, 2)[0]
        assert np.min(y * (X @ w)) / np.linalg.norm(w) >= (1.0 - alpha) * best


@quick
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_weights_stay_in_the_unit_ball(seed, k, intercept):
    stream = labelled(np.random.default_rng(seed), 60, 4, list("abcd"[:k]), weighted=True)
    model = ALMA(intercept=intercept)
    for x, y, weight in stream:
        model.learn_one(x, y, weight)
        W = rows(model, 4)
        assert np.linalg.norm(W) <= (1.0 if len(W) == 1 else math.sqrt(0.5)) + 1e-12


# -- more labels ----------------------------------------------------------------------------------


def test_the_third_label_changes_no_margin():
    """Rows -w/2 and +w/2 ask for the corrections that w asked for, and make the same."""
    model = ALMA(intercept=False)
    model.learn_many([[1.0, 2.0], [2.0, -1.0]], ["a", "b"])
    binary = ALMA(intercept=False, init=model)
    model.learn_one([0.0, 0.0], "c")
    np.testing.assert_array_equal(rows(model, 2)[2], [0.0, 0.0])
    rng = np.random.default_rng(4)
    for x, y in zip(rng.normal(size=(50, 2)), rng.choice(["a", "b"], size=50), strict=True):
        scores = model.score_one(x)
        if scores[y] > 0.0:
            continue  # the best wrong label is "c"
        binary.learn_one(x, y)
        model.learn_one(x, y)
        assert model.updates == binary.updates
        low, high, _ = rows(model, 2)
        np.testing.assert_allclose(high - low, rows(binary, 2)[0], rtol=1e-12)
    assert model.updates > 10


# -- merging --------------------------------------------------------------------------------------


def test_corrections_add_up():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    one, other = ALMA(), ALMA()
    one.learn_many(X[:50], y[:50])
    other.learn_many(X[50:], y[50:])
    updates = one.updates + other.updates
    one.merge(other)
    assert one.updates == updates
    assert np.linalg.norm(rows(one, 3)) <= 1.0
    one.learn_many(X, y)  # its own idea of its length is right, so it stays in the ball
    assert np.linalg.norm(rows(one, 3)) <= 1.0 + 1e-12


# -- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 3, math.inf, "2"])
def test_other_norms_are_refused(p):
    with pytest.raises((TypeError, ValueError), match=r"^ALMA: p must be"):
        ALMA(p=p)


# -- side by side ---------------------------------------------------------------------------------

SETTINGS = [{}, {"intercept": False}, {"alpha": 0.5, "B": 0.7, "C": 0.3}, {"alpha": 1.0}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"]], ids=["binary", "multiclass"])
@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_equals_the_reference(parameters, labels, kind):
    stream = labelled(np.random.default_rng(5), 300, 6, labels, weighted=True)
    follow(ALMA(**parameters), oracle.ALMA(6, **parameters), stream, kind)
