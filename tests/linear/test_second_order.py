"""AROW, CW, SCW: the vectors, the problems they solve, and their relations to each other."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from onstream.linear import AROW, CW, SCW, PAClassifier
from onstream.persist import dumps, loads

from ..oracles import second_order as oracle
from ..oracles.side_by_side import KINDS, eighths, follow, labelled, quick, rows, signed_blocks

ETA = NormalDist().cdf(1.0)  # phi = 1
BOTH = pytest.mark.parametrize("covariance", ["diagonal", "full"])
X12 = {"a": 1.0, "b": 2.0}


def phi(eta):
    return NormalDist().inv_cdf(eta)


def learners(**more):
    """Each with its rule for the reference, in parameters that hide no misprint."""
    p, q = phi(0.8), phi(0.6)
    return [
        (AROW(r=0.3, **more), lambda m, v, w: oracle.arow(m, v, 0.3 / w)),
        (CW(eta=0.8, **more), lambda m, v, w: oracle.cw(m, v, p)),
        (CW(eta=0.6, form="variance", **more), lambda m, v, w: oracle.cw_variance(m, v, q)),
        (SCW(C=0.2, eta=0.8, **more), lambda m, v, w: oracle.scw1(m, v, p, 0.2 * w)),
        (
            SCW(variant="II", C=0.2, eta=0.8, **more),
            lambda m, v, w: oracle.scw2(m, v, p, 0.2 * w),
        ),
    ]


VECTORS = [
    (AROW(intercept=False), 1 / 6, 1 / 6),
    (CW(eta=ETA, intercept=False), 0.316228, 0.1),
    (CW(eta=ETA, form="variance", intercept=False), 0.270156, 0.145969),
    (SCW(eta=ETA, C=0.1, intercept=False), 0.1, 0.04),
    (SCW(variant="II", eta=ETA, C=0.1, intercept=False), 0.182574, 0.066667),
]


@pytest.mark.parametrize(("model", "alpha", "beta"), VECTORS, ids=lambda v: repr(v)[:40])
@BOTH
@pytest.mark.parametrize("y", [1, -1])
def test_vector(model, alpha, beta, covariance, y):
    model = model.clone(covariance=covariance)
    model.learn_one(X12, y)
    assert model.weights == pytest.approx({"a": y * alpha, "b": 2 * y * alpha}, abs=1e-6)
    assert model.variances == pytest.approx({"a": 1 - beta, "b": 1 - 4 * beta}, abs=3e-6)
    off = model.Sigma[0, 1]
    assert off == pytest.approx(-2 * beta if covariance == "full" else 0.0, abs=3e-6)


def test_the_misprint_of_scw2_is_not_ours():
    model = SCW(variant="II", eta=ETA, C=0.1, intercept=False)
    model.learn_one(X12, 1)
    assert model.weights["a"] == pytest.approx(0.182574, abs=1e-6)
    assert abs(model.weights["a"] - 0.210819) > 0.02


def test_defaults():
    assert AROW().r == 1.0
    assert CW().eta == 0.7
    for variant, eta in (("I", 0.75), ("II", 0.9)):
        plain, told = SCW(variant=variant), SCW(variant=variant, eta=eta)
        for model in (plain, told):
            model.learn_many(np.eye(3), [1, 0, 1])
        assert plain.weights == told.weights


@BOTH
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b", "c", "d"]])
@pytest.mark.parametrize("weighted", [True, False])
def test_like_the_reference(covariance, intercept, labels, weighted):
    for i, (model, rule) in enumerate(learners(covariance=covariance, intercept=intercept, a=0.7)):
        reference = oracle.SecondOrder(
            5, rule, full=covariance == "full", a=0.7, intercept=intercept
        )
        rng = np.random.default_rng(i)
        stream = labelled(rng, 60, 5, labels, noise=1.0, weighted=weighted)
        follow(model, reference, stream, KINDS[i % 2], rel=1e-9)


def kl(w, S, w0, S0):
    """Divergence of N(w, S) from N(w0, S0), twice."""
    inverse = np.linalg.inv(S0)
    sign, logdet = np.linalg.slogdet(S)
    assert sign > 0
    d = w - w0
    return np.linalg.slogdet(S0)[1] - logdet + np.trace(inverse @ S) + d @ inverse @ d - len(w)


def after_some(model, n=12, d=2, seed=0):
    rng = np.random.default_rng(seed)
    model.learn_many(rng.normal(size=(n, d)), rng.choice([-1, 1], n))
    return model


def problem(x, y, model):
    """State before, and the best N(w, S) by SLSQP: S = LL', objective by learner."""
    w0, S0 = rows(model, 2)[0], model.Sigma

    def unpack(p):
        L = np.array([[p[2], 0.0], [p[3], p[4]]])
        return p[:2], L @ L.T

    def divergence(p):
        w, S = unpack(p)
        return 0.5 * kl(w, S + 1e-300 * np.eye(2), w0, S0)

    def margin(p):
        w, S = unpack(p)
        return y * (w @ x), x @ S @ x

    L = np.linalg.cholesky(S0)
    start = np.array([*w0, L[0, 0], L[1, 0], L[1, 1]])
    return divergence, margin, start, unpack


@pytest.mark.parametrize("seed", range(6))
def test_each_solves_its_problem(seed):
    """KL to the old distribution plus the cost that the paper names, by SLSQP."""
    rng = np.random.default_rng(100 + seed)
    x, y = rng.normal(size=2), int(rng.choice([-1, 1]))
    p = phi(0.8)
    r, C = 0.5, 0.15

    def arow_cost(m, v):
        return (max(0.0, 1.0 - m) ** 2 + v) / (2.0 * r)

    def shortfall(m, v):
        return max(0.0, p * sqrt(v) - m)

    models = [
        (AROW(r=r, covariance="full", intercept=False), arow_cost, None),
        (
            CW(eta=0.8, covariance="full", intercept=False),
            None,
            lambda m, v: m - p * sqrt(max(v, 1e-300)),
        ),
        (
            CW(eta=0.8, form="variance", covariance="full", intercept=False),
            None,
            lambda m, v: m - p * v,
        ),
        (
            SCW(C=C, eta=0.8, covariance="full", intercept=False),
            lambda m, v: C * shortfall(m, v),
            None,
        ),
        (
            SCW(variant="II", C=C, eta=0.8, covariance="full", intercept=False),
            lambda m, v: C * shortfall(m, v) ** 2,
            None,
        ),
    ]
    for model, cost, constraint in models:
        after_some(model, seed=seed)
        divergence, margin, start, _ = problem(x, y, model)
        m0, v0 = margin(start)
        if cost is None and constraint(m0, v0) >= 0.0:
            continue

        def objective(q, divergence=divergence, cost=cost, margin=margin):
            return divergence(q) + (cost(*margin(q)) if cost else 0.0)

        constraints = []
        if constraint:
            constraints = [
                {"type": "ineq", "fun": lambda q, c=constraint, margin=margin: c(*margin(q))}
            ]
        best = min(
            (
                minimize(
                    objective,
                    start + 1e-3 * rng.normal(size=5),
                    method="SLSQP",
                    constraints=constraints,
                    options={"maxiter": 500, "ftol": 1e-13},
                )
                for _ in range(3)
            ),
            key=lambda result: result.fun if result.success else np.inf,
        )
        active = cost is not arow_cost or m0 < 1.0
        model.learn_one(x, y)
        L = np.linalg.cholesky(model.Sigma)
        found = np.array([*rows(model, 2)[0], L[0, 0], L[1, 0], L[1, 1]])
        if active:
            assert objective(found) <= best.fun + 1e-6, repr(model)


@quick
@given(signed_blocks(), eighths(4), st.sampled_from([-1, 1]), st.sampled_from([0.6, 0.8, 0.95]))
def test_cw_restores_its_margin_exactly(block, x, y, eta):
    X, labels = block
    model = CW(eta=eta, covariance="full", intercept=False)
    model.learn_many(np.resize(X, (len(X), 4)), labels)
    v = x @ model.Sigma @ x
    m = y * model.score_one(x)
    assume(v > 1e-6 and m < phi(eta) * sqrt(v) - 1e-9)
    model.learn_one(x, y)
    after = phi(eta) * sqrt(x @ model.Sigma @ x)
    assert y * model.score_one(x) == pytest.approx(after, rel=1e-6, abs=1e-8)


@BOTH
def test_scw_with_a_huge_C_is_cw(covariance):
    stream = labelled(np.random.default_rng(3), 80, 4, [0, 1, 2], noise=0.5)
    plain = CW(eta=0.8, covariance=covariance)
    models = [
        SCW(variant=variant, C=1e12, eta=0.8, covariance=covariance) for variant in ("I", "II")
    ]
    for x, y, _ in stream:
        for model in (plain, *models):
            model.learn_one(x, y)
    for model in models:
        np.testing.assert_allclose(rows(model, 4), rows(plain, 4), rtol=1e-5, atol=1e-7)


def test_the_inverse_of_arow_adds_up():
    """Sigma^-1 = I / a + sum over the updates of x x' / r."""
    model = AROW(r=0.4, a=2.0, covariance="full", intercept=False)
    inverse = np.eye(4) / 2.0
    for x, y, _ in labelled(np.random.default_rng(5), 60, 4, [-1, 1], noise=1.0):
        if y * model.score_one(x) < 1.0:
            inverse += np.outer(x, x) / 0.4
        model.learn_one(x, y)
    np.testing.assert_allclose(np.linalg.inv(model.Sigma), inverse, rtol=1e-9, atol=1e-9)


def test_the_weight_of_arow_divides_r():
    """Weight 2 with r is weight 1 with r / 2; SCW multiplies C; CW does not care."""
    pairs = [
        (AROW(r=1.0), AROW(r=0.5)),
        (SCW(C=0.1), SCW(C=0.2)),
        (SCW(variant="II", C=0.1), SCW(variant="II", C=0.2)),
        (CW(), CW()),
    ]
    for heavy, light in pairs:
        for x, y, _ in labelled(np.random.default_rng(6), 40, 3, ["a", "b", "c"]):
            heavy.learn_one(x, y, 2.0)
            light.learn_one(x, y)
        assert heavy.weights == light.weights
        assert heavy.variances == light.variances


def test_full_is_diagonal_on_one_hot_rows():
    """Without two features in one example there is nothing to correlate."""
    rng = np.random.default_rng(7)
    for (one, _), (other, _) in zip(
        learners(intercept=False),
        learners(intercept=False, covariance="full"),
        strict=True,
    ):
        for _ in range(150):
            x = {f"f{rng.integers(6)}": float(rng.normal())}
            y = ["a", "b", "c"][rng.integers(3)]
            one.learn_one(x, y)
            other.learn_one(x, y)
        for label in "abc":
            assert one.weights[label] == pytest.approx(other.weights[label], rel=1e-9, abs=1e-12)
            assert one.variances[label] == pytest.approx(other.variances[label], rel=1e-9)


@BOTH
def test_variances_stay_positive_and_never_grow(covariance):
    """On noise, where CW's variances fall fastest."""
    for model, _ in learners(covariance=covariance):
        rng = np.random.default_rng(8)
        X = rng.normal(size=(3000, 3)) * [1.0, 100.0, 1e-3]
        y = rng.choice([0, 1], 3000)
        before = np.ones(3)
        for part in np.split(np.arange(3000), 30):
            model.learn_many(X[part], y[part])
            now = np.array(list(model.variances.values()))
            assert (now > 0.0).all()
            assert (now <= before).all()
            before = now
        assert np.linalg.eigvalsh(model.Sigma).min() > -1e-12


@BOTH
def test_promotion_keeps_the_next_step_of_the_difference(covariance):
    """Sigma / 2 for both labels: v, and what the difference of the two learns next, stay."""
    for model, _ in learners(covariance=covariance):
        for x, y, _ in labelled(np.random.default_rng(9), 40, 4, ["n", "p"], noise=1.0):
            model.learn_one(x, y)
        wider = type(model)(**{**model.params, "labels": ["third"]}, init=model)
        assert wider.labels == ["n", "p", "third"]
        for label in ("n", "p"):
            half = {name: 0.5 * v for name, v in model.variances.items()}
            assert wider.variances[label] == pytest.approx(half, rel=1e-14)
        assert set(wider.variances["third"].values()) == {0.5}
        x = np.array([3.0, -2.0, 1.0, 0.5])
        x = x if model.score_one(x) > 0.0 else -x  # so that "p" is the rival, not "third"
        assert model.score_one(x) > 0.0
        model.learn_one(x, "n")
        wider.learn_one(x, "n")
        found = wider.score_one(x)
        assert found["p"] - found["n"] == pytest.approx(model.score_one(x), rel=1e-9)


@BOTH
def test_saved_across_promotion(covariance):
    stream = labelled(np.random.default_rng(10), 60, 4, ["a", "b", "c"], noise=1.0)
    stream.sort(key=lambda example: example[1] == "c")
    for model, _ in learners(covariance=covariance):
        through = model.clone()
        for x, y, _ in stream:
            model.learn_one(x, y)
            through = loads(dumps(through))
            through.learn_one(x, y)
        assert dumps(through) == dumps(model)


def test_late_features_start_fresh():
    """A feature that comes late has variance a, as if it had been 0 from the start."""
    for covariance in ("diagonal", "full"):
        late, early = AROW(covariance=covariance), AROW(covariance=covariance)
        for x, y, _ in labelled(np.random.default_rng(11), 30, 3, [0, 1]):
            named = {f"f{i}": v for i, v in enumerate(x)}
            late.learn_one(named, y)
            early.learn_one({**named, "late": 0.0}, y)
        for model in (late, early):
            model.learn_one({"f0": 1.0, "late": 2.0}, 1)
        assert late.weights == pytest.approx(early.weights, rel=1e-12)
        assert late.variances == pytest.approx(early.variances, rel=1e-12)


def test_bad_parameters():
    for make in (
        lambda: AROW(r=0.0),
        lambda: AROW(covariance="none"),
        lambda: CW(eta=0.5),
        lambda: CW(eta=1.0),
        lambda: CW(form="x"),
        lambda: SCW(variant="III"),
        lambda: SCW(C=-1.0),
        lambda: AROW(a=0.0),
        lambda: AROW(covariance="full", hash_bits=14),
    ):
        with pytest.raises(ValueError, match=r"^(AROW|CW|SCW): "):
            make()


def test_they_learn_faster_than_pa_where_features_differ_in_frequency():
    """What second order is for: rare features next to frequent ones."""
    rng = np.random.default_rng(12)
    n, d = 3000, 60
    often = np.where(np.arange(d) < 10, 0.5, 0.02)
    X = (rng.random((n, d)) < often).astype(float)
    w = rng.normal(size=d)
    y = X @ w > 0.0
    errors = {
        type(m).__name__: np.mean(m.predict_learn_many(X, y) != y)
        for m in (PAClassifier(), AROW(), SCW())
    }
    assert errors["AROW"] < errors["PAClassifier"]
    assert errors["SCW"] < errors["PAClassifier"]
