"""Kernel perceptron, PA, MIRA, LMS: against linear learners and against their definitions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream.kernel import (
    RBF,
    KernelLMS,
    KernelMIRA,
    KernelPA,
    KernelPARegressor,
    KernelPerceptron,
    Linear,
    Polynomial,
)
from onstream.linear import MIRA, LinearRegression, PAClassifier, Perceptron


def rows(n: int = 300, d: int = 6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def labels(X: np.ndarray, k: int) -> np.ndarray:
    scores = X @ np.random.default_rng(9).normal(size=(X.shape[1], k))
    return np.array(["a", "b", "c", "d"])[scores.argmax(axis=1)]


PAIRS = [
    (KernelPerceptron(kernel=Linear()), Perceptron(intercept=False)),
    (KernelPerceptron(kernel=Linear(), beta=0.5), Perceptron(intercept=False, beta=0.5)),
    (KernelMIRA(kernel=Linear()), MIRA(intercept=False)),
    (KernelMIRA(kernel=Linear(), beta=0.7), MIRA(intercept=False, beta=0.7)),
    *[
        (
            KernelPA(kernel=Linear(), variant=v, C=0.1),
            PAClassifier(intercept=False, variant=v, C=0.1),
        )
        for v in ("PA", "PA-I", "PA-II")
    ],
]


@pytest.mark.parametrize(("kernel", "linear"), PAIRS, ids=repr)
@pytest.mark.parametrize("k", [2, 4])
def test_a_linear_kernel_is_the_linear_learner(kernel: Any, linear: Any, k: int) -> None:
    X = rows()
    y = labels(X, k)
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.0], len(y))
    ours, theirs = kernel.clone(), linear.clone()
    predicted = ours.predict_learn_many(X, y, w, output="score")
    expected = theirs.predict_learn_many(X, y, w, output="score")
    np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-9)
    assert len(ours.supports) < len(y)


def test_linear_regression() -> None:
    X = rows()
    y = X @ np.arange(6.0) + 1.0
    for schedule in ("constant", "power", "sqrt"):
        ours = KernelLMS(kernel=Linear(), eta=0.05, schedule=schedule)
        theirs = LinearRegression(eta=0.05, schedule=schedule, intercept=False)
        predicted, expected = (m.predict_learn_many(X, y) for m in (ours, theirs))
        np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-9)
    ours = KernelLMS(kernel=Linear(), eta=0.5, normalized=True)
    theirs = LinearRegression(eta=0.5, normalized=True, intercept=False)
    predicted, expected = (m.predict_learn_many(X, y) for m in (ours, theirs))
    np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_regression_with_a_linear_kernel(variant: str) -> None:
    X = rows()
    y = X @ np.arange(6.0)
    w, C, epsilon = np.zeros(6), 0.2, 0.1
    model = KernelPARegressor(kernel=Linear(), variant=variant, C=C, epsilon=epsilon)
    predicted = model.predict_learn_many(X, y)
    for x, target, f in zip(X, y, predicted, strict=True):
        assert f == pytest.approx(w @ x, rel=1e-9, abs=1e-9)
        loss, q = max(0.0, abs(target - w @ x) - epsilon), x @ x
        step = {"PA": loss / q, "PA-I": min(C, loss / q), "PA-II": loss / (q + 1 / (2 * C))}
        w = w + np.sign(target - w @ x) * step[variant] * x


# -- the step ---------------------------------------------------------------------------------

POINT = st.lists(st.floats(-2.0, 2.0), min_size=2, max_size=2)


@settings(max_examples=40)
@given(st.lists(st.tuples(POINT, st.booleans()), min_size=1, max_size=12), st.floats(0.05, 3.0))
def test_margins_after_a_step(stream: Any, C: float) -> None:
    """PA: exactly 1. PA-I: the loss falls by C q. PA-II: the loss left is step / (2 C)."""
    kernel = RBF(gamma=0.7)
    for variant in ("PA", "PA-I", "PA-II"):
        model = KernelPA(kernel=kernel, variant=variant, C=C, labels=[True, False])
        for x, positive in stream:
            y = 1.0 if positive else -1.0
            before = max(0.0, 1.0 - y * model.score_one(x))
            n = len(model.supports)
            model.learn_one(x, positive)
            after = 1.0 - y * model.score_one(x)
            if before == 0.0:
                assert len(model.supports) == n
                continue
            step = abs(model.supports[-1][1])
            left = {"PA": 0.0, "PA-I": max(0.0, before - C), "PA-II": step / (2.0 * C)}
            assert after == pytest.approx(left[variant], abs=1e-9)


def test_only_a_multiple_of_the_kernel_is_added() -> None:
    X = rows(100)
    y = labels(X, 2)
    kernel = Polynomial(degree=2)
    model = KernelPA(kernel=kernel)
    asked = rows(5, seed=3)
    updates = 0
    for x, target in zip(X, y.tolist(), strict=True):
        before, n = model.score_many(asked), len(model.supports)
        model.learn_one(x, target)
        change = model.score_many(asked) - before
        if len(model.supports) == n:
            assert not change.any()
            continue
        updates += 1
        a = model.supports[-1][1]
        expected = [a * kernel(x, z) for z in asked]
        np.testing.assert_allclose(change, expected, rtol=1e-8, atol=1e-9)
    assert len(model.supports) == updates


def test_the_lemma_of_passive_aggressive_steps() -> None:
    """sum t (2 l - t q - 2 l*) <= |u|² for any u, here one in the span of some rows."""
    X = rows(200)
    y = np.where(labels(X, 2) == "a", 1.0, -1.0)
    kernel = RBF(gamma=0.3)
    Z, c = X[:10], np.random.default_rng(4).normal(size=10)
    gram = np.array([[kernel(a, b) for b in Z] for a in Z])
    for variant in ("PA", "PA-I", "PA-II"):
        model = KernelPA(kernel=kernel, variant=variant, C=0.3, labels=[1, -1])
        total = 0.0
        for x, target in zip(X, y, strict=True):
            loss = max(0.0, 1.0 - target * model.score_one(x))
            n = len(model.supports)
            model.learn_one(x, int(target))
            if len(model.supports) > n:
                t = abs(model.supports[-1][1])
                best = max(0.0, 1.0 - target * sum(c * [kernel(z, x) for z in Z]))
                total += t * (2.0 * loss - t - 2.0 * best)
        assert total <= c @ gram @ c


# -- more labels ------------------------------------------------------------------------------


def multiclass(rule: str, scores: np.ndarray, y: int) -> np.ndarray | None:
    """Steps of the ultraconservative perceptrons."""
    wrong = [r for r in range(len(scores)) if r != y and scores[r] >= scores[y]]
    if not wrong:
        return None
    steps = np.zeros(len(scores))
    steps[y] = 1.0
    if rule == "max":
        steps[max(wrong, key=lambda r: (scores[r], -r))] = -1.0
    else:
        excess = np.array([scores[r] - scores[y] for r in wrong])
        even = rule == "uniform" or excess.sum() == 0.0
        steps[wrong] = -1.0 / len(wrong) if even else -excess / excess.sum()
    return steps


@pytest.mark.parametrize("rule", ["max", "uniform", "proportional"])
def test_perceptrons_of_four_labels(rule: str) -> None:
    """The steps are half as large as in the paper, so the predictions are the same."""
    X = rows(400)
    y = labels(X, 4)
    names = ["a", "b", "c", "d"]
    model = KernelPerceptron(kernel=Linear(), update=rule, labels=names)
    predicted = model.predict_learn_many(X, y, output="score")
    M = np.zeros((4, 6))
    for x, target, f in zip(X, y, predicted, strict=True):
        np.testing.assert_allclose(2.0 * f, M @ x, rtol=1e-9, atol=1e-9)
        steps = multiclass(rule, 2.0 * f, names.index(target))
        if steps is not None:
            M += np.outer(steps, x)
    for _, coefficients in model.supports:
        assert list(coefficients) == names
        assert sum(coefficients.values()) == pytest.approx(0.0, abs=1e-15)


def mira(A: float, B: np.ndarray, y: int, beta: float, C: float) -> np.ndarray:
    """Exact solution by sorting."""
    d = np.eye(len(B))[y]
    v = (B - beta * d) / A + C * d
    u = np.sort(v)[::-1]
    sums = np.cumsum(u) - C
    j = np.arange(1, len(u) + 1)
    theta = (sums / j)[np.flatnonzero(u - sums / j > 0.0)[-1]]
    return C * d - np.maximum(v - theta, 0.0)


def test_mira_vectors() -> None:
    B = np.array([0.5, 0.2, 0.4])
    np.testing.assert_allclose(mira(1.0, B, 1, 0.0, 1.0), [-2 / 15, 1 / 6, -1 / 30])
    np.testing.assert_allclose(mira(1.0, B, 1, 1.0, 1.0), [-7 / 15, 5 / 6, -11 / 30])
    for beta, expected in ((0.0, [-2 / 15, 1 / 6, -1 / 30]), (1.0, [-7 / 15, 5 / 6, -11 / 30])):
        model = KernelMIRA(kernel=Linear(), beta=beta, labels=["a", "b", "c"])
        fields = model._model.snapshot()
        # One support e with coefficients B: then f(e) = B, and A = 1.
        fields |= {"features": ["e"], "coefficients": B[:, None], "gamma_width": 1}
        fields["supports"] = {
            "count": 1,
            "width": 1,
            "values": np.ones(1),
            "columns": np.zeros(1, dtype=np.int64),
            "starts": np.array([0, 1]),
            "lengths": np.ones(1),
        }
        warm = KernelMIRA(kernel=Linear(), beta=beta, init=fields)
        assert list(warm.score_one({"e": 1.0}).values()) == B.tolist()
        warm.learn_one({"e": 1.0}, "b")
        np.testing.assert_allclose(list(warm.supports[-1][1].values()), expected, rtol=1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.7])
@pytest.mark.parametrize("k", [2, 4])
def test_mira_against_its_exact_solution(beta: float, k: int) -> None:
    X = rows(300)
    y = labels(X, k)
    names = ["a", "b", "c", "d"][:k]
    model = KernelMIRA(kernel=Linear(), beta=beta, labels=names)
    predicted = model.predict_learn_many(X, y, output="score")
    M = np.zeros((k, 6))
    norm = np.inf
    for x, target, f in zip(X, y, predicted, strict=True):
        scores = M @ x
        np.testing.assert_allclose(
            f, scores if k > 2 else scores[1] - scores[0], rtol=1e-8, atol=1e-8
        )
        label = names.index(target)
        if not M.any() and beta == 0.0:
            steps = np.full(k, -1.0 / (k - 1))
            steps[label] = 1.0
        else:
            steps = mira(x @ x, scores, label, beta, 1.0)
        M += np.outer(steps, x)
        if beta == 0.0:
            assert np.linalg.norm(M) <= norm * (1 + 1e-12)
            norm = np.linalg.norm(M)


# -- budgets of LMS ---------------------------------------------------------------------------


def test_lms_on_a_budget() -> None:
    X = rows(200)
    y = np.sin(X[:, 0])
    free = KernelLMS(kernel=RBF(gamma=0.5))
    free.learn_many(X[:50], y[:50])
    for policy in ("oldest", "random", "stop"):
        model = KernelLMS(kernel=RBF(gamma=0.5), budget=50, policy=policy)
        model.learn_many(X[:50], y[:50])
        np.testing.assert_array_equal(model.score_many(X), free.score_many(X))
        before = {tuple(x) for x, _ in model.supports}
        model.learn_many(X[50:60], y[50:60])
        after = {tuple(x) for x, _ in model.supports}
        assert len(model.supports) == 50
        if policy == "stop":
            assert after == before
        elif policy == "oldest":
            assert after == {tuple(x) for x in X[10:60]}
        else:
            assert len(after - before) in range(1, 11)


def test_gamma_none_is_one_over_the_features() -> None:
    X = rows(50)
    y = labels(X, 2)
    auto, fixed = (KernelPerceptron(kernel=RBF(gamma=g)) for g in (None, 1 / 6))
    for model in (auto, fixed):
        model.learn_many(X, y)
    np.testing.assert_array_equal(auto.score_many(X), fixed.score_many(X))


def test_supports_look_like_what_was_learned() -> None:
    model = KernelPerceptron(kernel=Linear())
    model.learn_one(np.array([1.0, 0.0, 2.0]), True)
    (x, a), *rest = model.supports
    assert not rest
    assert x.tolist() == [1.0, 0.0, 2.0]
    assert a == 1.0
    model = KernelPerceptron(kernel=Linear())
    model.learn_one({"b": 1.0, "a": 0.0}, "no", 2.5)
    assert model.supports == [({"b": 1.0}, -2.5)]


def test_a_kernel_must_be_one() -> None:
    for bad in ("rbf", RBF, lambda a, b: 1.0, 3):
        with pytest.raises(TypeError, match=r"^KernelPA: kernel must be a kernel"):
            KernelPA(kernel=bad)
