"""Bayesian linear regression: ridge, the evidence of the batch, any order, weights."""

import math

import numpy as np
import pytest
from scipy import stats

from onstream.bayes import BayesianLinearRegression, Normal
from onstream.linear import RLS


def data(seed=0, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 + 0.3 * rng.normal(size=n)


def learned(X, y, w=None, **params):
    model = BayesianLinearRegression(**params)
    model.learn_many(X, y, w)
    return model


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("lam", [1.0, 0.01])
def test_it_is_ridge_regression(intercept, lam):
    X, y = data()
    model = learned(X, y, lam=lam, noise=0.09, intercept=intercept)
    A = np.column_stack([np.ones(len(X)), X]) if intercept else X
    P = np.linalg.inv(A.T @ A + lam * np.eye(A.shape[1]))
    m = P @ A.T @ y
    weights = ([model.bias] if intercept else []) + list(model.weights.values())
    np.testing.assert_allclose(weights, m, rtol=1e-9)
    np.testing.assert_allclose(model.covariance, 0.09 * P, rtol=1e-9)
    query = A[0] if not intercept else np.concatenate([[1.0], X[0]])
    told = model.predict_dist_one(X[0])
    assert isinstance(told, Normal)
    assert told.mean == pytest.approx(query @ m, rel=1e-9)
    assert told.mean == model.predict_one(X[0])
    assert told.variance == pytest.approx(0.09 * (1.0 + query @ P @ query), rel=1e-9)
    assert told.std == math.sqrt(told.variance)


def test_it_is_rls():
    X, y = data(1)
    model, rls = learned(X, y, lam=0.5), RLS(lam=0.5)
    rls.learn_many(X, y)
    np.testing.assert_allclose(model.predict_many(X), rls.predict_many(X), rtol=1e-12)
    np.testing.assert_allclose(model.covariance, rls.P, rtol=1e-10)


def test_predictive_densities_add_up_to_the_evidence_of_the_batch():
    X, y = data(2, 25)
    lam, noise = 2.0, 0.25
    model, total = BayesianLinearRegression(lam=lam, noise=noise), 0.0
    for x, target in zip(X, y, strict=True):
        total += model.predict_dist_one(x).log_density(target)
        model.learn_one(x, target)
    A = np.column_stack([np.ones(len(X)), X])
    covariance = noise * np.eye(len(X)) + noise / lam * A @ A.T
    evidence = stats.multivariate_normal(np.zeros(len(X)), covariance).logpdf(y)
    assert total == pytest.approx(evidence, rel=1e-9)


def test_any_order_gives_the_same_posterior():
    X, y = data(3)
    order = np.random.default_rng(0).permutation(len(y))
    a, b = learned(X, y), learned(X[order], y[order])
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-9)
    np.testing.assert_allclose(a.predict_many(X), b.predict_many(X), rtol=1e-9)


def test_weight_two_is_two_copies():
    X, y = data(4)
    twice = learned(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    heavy = learned(X, y, np.full(len(y), 2.0))
    np.testing.assert_allclose(heavy.covariance, twice.covariance, rtol=1e-9)
    np.testing.assert_allclose(heavy.predict_many(X), twice.predict_many(X), rtol=1e-9)


@pytest.mark.parametrize("weight", [1e290, 1e307, 1.7e308])
def test_a_huge_weight_settles_the_matter(weight):
    model = BayesianLinearRegression()
    model.learn_one({"a": 10.0}, 5.0, weight)
    assert model.predict_one({"a": 10.0}) == pytest.approx(5.0, rel=1e-14)
    assert np.all(np.isfinite(model.covariance))


def test_a_far_offset_is_learned():
    rng = np.random.default_rng(0)
    model = BayesianLinearRegression(lam=1e-3)
    for _ in range(100):
        model.learn_one({"t": 1e7 + 100.0 * rng.normal(), "u": rng.normal()}, 1.0)
    scale = np.sqrt(np.diag(model.covariance))
    assert np.min(np.linalg.eigvalsh(model.covariance / np.outer(scale, scale))) > 0.0
    assert model.predict_one({"t": 1e7, "u": 0.0}) == pytest.approx(1.0, rel=1e-6)


def test_merging_is_learning_all():
    X, y = data(5)
    whole, one, two = learned(X, y), learned(X[:15], y[:15]), learned(X[15:], y[15:])
    one.merge(two)
    np.testing.assert_allclose(one.covariance, whole.covariance, rtol=1e-9)
    np.testing.assert_allclose(one.predict_many(X), whole.predict_many(X), rtol=1e-9)
    names = BayesianLinearRegression()
    names.learn_one({"a": 1.0}, 1.0)
    others = BayesianLinearRegression()
    others.learn_one({"b": 2.0}, 3.0)
    both = BayesianLinearRegression()
    both.learn_one({"a": 1.0}, 1.0)
    both.learn_one({"b": 2.0}, 3.0)
    names.merge(others)
    assert names.weights == pytest.approx(both.weights, rel=1e-9)


def test_before_any_example_it_is_the_prior():
    assert BayesianLinearRegression(lam=2.0, noise=3.0).predict_dist_one({"a": 5.0}) == (
        0.0,
        42.0,
    )  # 3 (1 + (1 + 25) / 2)


def test_a_late_feature_starts_from_its_prior():
    late, early = BayesianLinearRegression(), BayesianLinearRegression()
    for x, y in (({"a": 1.0}, 2.0), ({"a": 2.0, "b": 1.0}, 1.0), ({"b": 3.0}, 0.5)):
        late.learn_one(x, y)
        early.learn_one({"a": 0.0, "b": 0.0, **x}, y)
    assert late.predict_dist_one({"a": 1.0, "b": 1.0}) == pytest.approx(
        early.predict_dist_one({"a": 1.0, "b": 1.0}), rel=1e-12
    )


@pytest.mark.parametrize("intercept", [True, False])
def test_huge_values_have_finite_answers(intercept):
    """As of RLS: what overflows on the way is computed again in smaller numbers."""
    model, rls = (cls(intercept=intercept) for cls in (BayesianLinearRegression, RLS))
    for m in (model, rls):
        m.learn_one({"a": 1.0, "b": 1.0}, 1e200)
        m.learn_one({"a": 1.0, "b": -2.0}, 1e199)
    queries = [{"a": s * u, "b": t * u} for s in (1, -1) for t in (1, -1) for u in (1e200, 1e300)]
    queries += [{"a": 1e200, "b": -1e200, "c": 1e200}, {"c": 1e200}, {"a": 2.0, "b": -2.0}]
    told = np.clip([rls.predict_one(x) for x in queries], -1e300, 1e300)
    np.testing.assert_allclose([model.predict_one(x) for x in queries], told, rtol=1e-9)
    np.testing.assert_allclose(model.score_many(queries), told, rtol=1e-9)
    for x in queries:
        known = model.predict_dist_one(x)
        assert math.isfinite(known.mean)
        assert 1.0 <= known.variance <= 1.1e300
        assert max(x.values()) < 1e200 or known.variance > 1e200


def test_huge_values_that_cancel():
    model = BayesianLinearRegression(lam=1.0, intercept=False)
    model.learn_one({"a": 1.0, "b": 1.0}, 3e150)
    assert model.predict_one({"a": 1e200, "b": -1e200}) == 0.0
    assert model.predict_one({"a": 1e-140, "b": 1e-140}) == pytest.approx(2e10)
