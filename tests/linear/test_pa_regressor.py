import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from onstream.linear import LMS, PARegressor

from ..oracles import passive_aggressive as oracle
from ..oracles.side_by_side import KINDS, blocks, eighths, follow, measured, quick, rows

VARIANTS = ("PA", "PA-I", "PA-II")
variants = pytest.mark.parametrize("variant", VARIANTS)
Cs = st.sampled_from([0.01, 0.1, 0.3, 2.0, 10.0])
epsilons = st.sampled_from([0.0, 0.125, 1.0])


@variants
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_follows_the_formulas(variant, kind, weighted):
    rng = np.random.default_rng(1)
    for intercept in (True, False):
        for C, epsilon in ((0.1, 0.1), (3.0, 0.0)):
            params = {"variant": variant, "C": C, "epsilon": epsilon, "intercept": intercept}
            stream = measured(rng, 80, 5, noise=0.5, weighted=weighted)
            follow(PARegressor(**params), oracle.PARegressor(5, **params), stream, kind)


@pytest.mark.parametrize(("variant", "tau"), [("PA", 0.38), ("PA-I", 0.1), ("PA-II", 0.19)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_vector(variant, tau, sign):
    """w = 0, x = (1, 2), |y| = 2, epsilon = C = 0.1: the loss is 1.9, q = 5, 1/2C = 5."""
    model = PARegressor(variant=variant, C=0.1, intercept=False)
    model.learn_one({"a": 1.0, "b": 2.0}, 2.0 * sign)
    found = [model.weights["a"], model.weights["b"]]
    np.testing.assert_allclose(found, [sign * tau, 2.0 * sign * tau], rtol=1e-14)


@quick
@given(blocks(most_columns=3), eighths(3), eighths(()), epsilons, st.booleans())
def test_pa_ends_at_epsilon(X, x, y, epsilon, intercept):
    X = np.resize(X, (len(X), 3))
    model = PARegressor(variant="PA", epsilon=epsilon, intercept=intercept)
    model.learn_many(X, X @ [1.0, -2.0, 0.5] + 1.0)
    before = abs(y - model.predict_one(x))
    model.learn_one(x, float(y))
    after = abs(y - model.predict_one(x))
    tiny = 1e-11 * max(1.0, before)
    if before <= epsilon:
        assert after == before
    elif x.any() or intercept:
        assert abs(after - epsilon) <= tiny


@quick
@given(blocks(most_columns=3), eighths(3), eighths(()), Cs, st.booleans())
def test_what_is_left_of_the_loss(X, x, y, C, intercept):
    X, y = np.resize(X, (len(X), 3)), float(y)
    for variant in ("PA-I", "PA-II"):
        model = PARegressor(variant=variant, C=C, intercept=intercept)
        model.learn_many(X, X @ [1.0, -2.0, 0.5] + 1.0)
        q = x @ x + intercept
        loss = max(0.0, abs(y - model.predict_one(x)) - 0.1)
        assume(loss > 0.0 and q > 0.0)
        model.learn_one(x, y)
        left = max(0.0, abs(y - model.predict_one(x)) - 0.1)
        expected = max(0.0, loss - C * q) if variant == "PA-I" else loss / (1.0 + 2.0 * C * q)
        assert abs(left - expected) <= 1e-11 * max(1.0, loss, C * q)


def losses(model, X, y, epsilon):
    told = model.predict_learn_many(X, y)
    return np.maximum(0.0, np.abs(y - told) - epsilon)


def star(u, X, y, epsilon):
    return np.maximum(0.0, np.abs(y - X @ u) - epsilon)


@quick
@given(blocks(), st.integers(0, 1000), epsilons, Cs)
def test_bounds(X, seed, epsilon, C):
    """(a) and (d) of spec 2.1 with this loss; (c) bounds the rounds with a loss of 1 or more."""
    rng = np.random.default_rng(seed)
    u, noisy = rng.normal(size=X.shape[1]), rng.normal(size=len(X))
    R2 = max(np.max(np.sum(X**2, axis=1)), 1e-12)
    uu, much = u @ u, 1 + 1e-9
    made = {"epsilon": epsilon, "C": C, "intercept": False}
    clean = X @ u + np.clip(noisy, -epsilon, epsilon)
    found = losses(PARegressor(variant="PA", **made), X, clean, epsilon)
    assert np.sum(found**2) <= uu * R2 * much + 1e-12
    y = X @ u + noisy
    theirs = star(u, X, y, epsilon)
    found = losses(PARegressor(variant="PA-II", **made), X, y, epsilon)
    bound = (R2 + 0.5 / C) * (uu + 2.0 * C * np.sum(theirs**2))
    assert np.sum(found**2) <= bound * much
    found = losses(PARegressor(variant="PA-I", **made), X, y, epsilon)
    bound = max(R2, 1.0 / C) * (uu + 2.0 * C * np.sum(theirs))
    assert np.sum(found >= 1.0) <= bound * much


@quick
@given(blocks(), st.integers(0, 1000), epsilons)
def test_bound_for_rows_of_length_one(X, seed, epsilon):
    rng = np.random.default_rng(seed)
    X = X[np.any(X != 0.0, axis=1)]
    assume(len(X))
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.normal(size=X.shape[1])
    y = X @ u + rng.normal(size=len(X))
    found = losses(PARegressor(variant="PA", epsilon=epsilon, intercept=False), X, y, epsilon)
    theirs = np.sum(star(u, X, y, epsilon) ** 2)
    bound = (np.linalg.norm(u) + 2.0 * np.sqrt(theirs)) ** 2
    assert np.sum(found**2) <= bound * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_without_epsilon_it_is_nlms(intercept, kind):
    pa = PARegressor(variant="PA", epsilon=0.0, intercept=intercept)
    nlms = LMS(eta=1.0, normalized=True, intercept=intercept)
    for x, y, _ in measured(np.random.default_rng(2), 200, 6):
        for model in (pa, nlms):
            model.learn_one(x if kind == "dense" else dict(enumerate(x)), y)
    np.testing.assert_allclose(rows(nlms, 6), rows(pa, 6), rtol=1e-12, atol=1e-14)


def test_large_c_is_plain_pa():
    stream = measured(np.random.default_rng(2), 100, 6)
    X, y = np.array([x for x, _, _ in stream]), np.array([y for _, y, _ in stream])
    plain = PARegressor(variant="PA").fit(X, y, shuffle=False)
    for variant in ("PA-I", "PA-II"):
        model = PARegressor(variant=variant, C=1e12).fit(X, y, shuffle=False)
        np.testing.assert_allclose(rows(model, 6), rows(plain, 6), rtol=1e-9)


def test_weights_multiply_c():
    """Plain PA ignores them."""
    x, y = np.array([1.0, -2.0]), 30.0
    for variant, C in (("PA-I", 0.3), ("PA-II", 0.3), ("PA", 0.1)):
        weighted = PARegressor(variant=variant, C=0.1)
        other = PARegressor(variant=variant, C=C)
        weighted.learn_one(x, y, 3.0)
        other.learn_one(x, y)
        np.testing.assert_allclose(rows(weighted, 2), rows(other, 2), rtol=1e-14)


def test_a_huge_target_is_refused_or_capped():
    capped, plain = PARegressor(C=0.5), PARegressor(variant="PA")
    capped.learn_one({"a": 1.0}, 1e308)
    assert capped.weights == {"a": 0.5}
    with pytest.raises(ValueError, match=r"PARegressor: .*overflow"):
        plain.learn_one({"a": 1e-3}, 1e308)
    assert plain.seen == 0
    assert plain.weights == {}
