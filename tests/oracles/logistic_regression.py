"""Logistic and softmax regression: the gradient step, the objective, Newton's solution."""

import numpy as np

from .linear import LinearOracle
from .rates import rate


class LogisticRegression(LinearOracle):
    def __init__(self, d, eta=0.1, schedule="constant", power=0.6, l2=0.0, **common):
        super().__init__(d, **common)
        self.eta, self.schedule, self.power, self.l2 = eta, schedule, power, l2
        self.d = d

    def descend(self, gradients, weight):
        """All rows: += rate * weight * gradient, and -= rate * l2 * w but for the intercept."""
        gamma = rate(self.schedule, self.seen, self.eta, self.power, self.l2)
        decay = np.zeros_like(self.W)
        decay[:, : self.d] = self.l2 * self.W[:, : self.d]
        self.W = self.W + gamma * (weight * gradients - decay)

    def binary(self, x, y, weight):
        target = 1.0 if y > 0.0 else 0.0
        p = expit(self.W[0] @ x)
        self.descend((target - p) * x[np.newaxis], weight)

    def multiclass(self, x, right, weight):
        self.descend(np.outer(softmax_gradient(self.W @ x, right), x), weight)

    def probabilities(self, x):
        scores = self.scores(x)
        if len(self.labels) > 2:
            return dict(zip(self.labels, softmax(scores), strict=True))
        return {y: expit(self.code(y) * scores[0]) for y in self.labels}


def expit(s):
    """1 / (1 + e^-s) without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * s))


def log_softmax(scores):
    top = scores - np.max(scores)
    return top - np.log(np.sum(np.exp(top)))


def softmax(scores):
    return np.exp(log_softmax(scores))


def softmax_gradient(scores, right):
    """How the log-likelihood of `right` grows with each score: [r = right] - p_r."""
    gradient = -softmax(scores)
    gradient[right] += 1.0
    return gradient


def log_likelihood(w, x, y):
    """Of one example with y in {-1, +1}."""
    return -np.logaddexp(0.0, -y * (w @ x))


def softmax_log_likelihood(W, x, right):
    return log_softmax(W @ x)[right]


def newton(X, y, l2, free=(), steps=50):
    """Maximise mean log-likelihood - l2/2 |w|^2, columns in `free` not penalised; y in {0, 1}."""
    n, d = X.shape
    penalty = np.full(d, l2)
    penalty[list(free)] = 0.0
    w = np.zeros(d)
    for _ in range(steps):
        p = expit(X @ w)
        gradient = X.T @ (y - p) / n - penalty * w
        hessian = (X * (p * (1.0 - p))[:, np.newaxis]).T @ X / n + np.diag(penalty)
        w = w + np.linalg.solve(hessian, gradient)
    return w
