import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import LogisticRegression, SoftmaxRegression

from ..oracles import logistic_regression as oracle
from ..oracles.rates import rate
from ..oracles.side_by_side import KINDS, eighths, follow, labelled, quick, rows


class SoftmaxOracle(oracle.LogisticRegression):
    """Two labels as the rows -w/2 and +w/2 of softmax."""

    def binary(self, x, y, weight):
        M = np.array([-0.5 * self.W[0], 0.5 * self.W[0]])
        gamma = rate(self.schedule, self.seen, self.eta, self.power, self.l2)
        decay = np.array(M)
        decay[:, self.d :] = 0.0
        gradient = np.outer(oracle.softmax_gradient(M @ x, int(y > 0.0)), x)
        M = M + gamma * (weight * gradient - self.l2 * decay)
        self.W[0] = M[1] - M[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], [1, 0, 2], list("abcde")])
@pytest.mark.parametrize("params", [{}, {"schedule": "sqrt", "eta": 0.5, "l2": 0.01}])
def test_follows_the_formulas(labels, kind, params):
    stream = labelled(np.random.default_rng(1), 80, 5, labels, weighted=True)
    for intercept in (True, False):
        model = SoftmaxRegression(scale=None, intercept=intercept, **params)
        follow(model, SoftmaxOracle(5, intercept=intercept, **params), stream, kind)


@pytest.mark.parametrize("intercept", [True, False])
def test_two_labels_are_logistic_regression_with_twice_the_rate(intercept):
    stream = labelled(np.random.default_rng(1), 200, 5, ["a", "b"])
    softmax = SoftmaxRegression(eta=0.1, intercept=intercept)
    logistic = LogisticRegression(eta=0.2, intercept=intercept)
    for x, y, _ in stream:
        softmax.learn_one(x, y)
        logistic.learn_one(x, y)
    np.testing.assert_allclose(rows(softmax, 5), rows(logistic, 5), rtol=1e-12)
    x = stream[0][0]
    assert softmax.predict_proba_one(x) == pytest.approx(logistic.predict_proba_one(x), rel=1e-12)


def test_beyond_two_labels_it_is_logistic_regression():
    stream = labelled(np.random.default_rng(1), 200, 5, list("abcd"))
    one, two = (
        cls(labels=list("abcd"), l2=0.01) for cls in (SoftmaxRegression, LogisticRegression)
    )
    for x, y, _ in stream:
        one.learn_one(x, y)
        two.learn_one(x, y)
    assert one.weights == two.weights
    assert one.bias == two.bias


@quick
@given(eighths((3, 4)), eighths(4), st.integers(0, 2))
def test_the_step_is_the_gradient(M, x, y):
    """Central differences of the log-likelihood of the label."""
    scores = M @ x / 4.0
    gradient = oracle.softmax_gradient(scores, y)
    for r in range(3):
        step = np.zeros(3)
        step[r] = 1e-5
        up, down = (oracle.log_softmax(scores + s * step)[y] for s in (1.0, -1.0))
        assert (up - down) / 2e-5 == pytest.approx(gradient[r], abs=1e-8)
    model = SoftmaxRegression(eta=0.5, labels=[0, 1, 2], intercept=False)
    model.learn_one(np.array([1.0, 0.5, -0.25, 2.0]), 1)
    before = rows(model, 4)
    model.learn_one(x, y)
    expected = before + 0.5 * np.outer(oracle.softmax_gradient(before @ x, y), x)
    np.testing.assert_allclose(rows(model, 4), expected, atol=1e-12)


def test_it_converges_to_newtons_solution():
    """Two labels, penalised: w of softmax is twice that of logistic's row, its penalty half."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = (X @ [1.0, -1.0, 0.5] + rng.normal(size=60) > 0.0).astype(int)
    model = SoftmaxRegression(eta=0.5, schedule="power", power=0.75, l2=0.1, intercept=False)
    model.fit(X, y, epochs=3000, seed=1)
    # |W_0|^2 + |W_1|^2 = |w|^2 / 2: the penalty of the difference w is half as heavy.
    best = oracle.newton(X, y.astype(float), 0.05)
    np.testing.assert_allclose(rows(model, 3)[0], best, atol=0.01)


def test_huge_scores_do_not_overflow():
    for labels in (["a", "b"], ["a", "b", "c"]):
        model = SoftmaxRegression(eta=1.0, labels=labels, intercept=False)
        model.learn_one({"x": 1e4}, "a")
        for x in (1.0, -1.0):  # scores of about 1e4 in size
            told = model.predict_proba_one({"x": x})
            assert all(map(math.isfinite, told.values()))
            assert sum(told.values()) == pytest.approx(1.0)
        model.learn_one({"x": -1e4}, "a")
        assert all(map(math.isfinite, model.predict_proba_one({"x": 1.0}).values()))
