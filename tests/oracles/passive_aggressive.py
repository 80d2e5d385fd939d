"""Passive-aggressive classification: binary, and max-margin with one row per label."""

import numpy as np

from .linear import LinearOracle, best_wrong


def step(variant, loss, q, C):
    """Tau from the loss and the curvature q."""
    if loss <= 0.0 or q == 0.0:
        return 0.0
    if variant == "PA":
        return loss / q
    if variant == "PA-I":
        return min(C, loss / q)
    return loss / (q + 1.0 / (2.0 * C))


class PAClassifier(LinearOracle):
    def __init__(self, d, variant="PA-I", C=1.0, **common):
        super().__init__(d, **common)
        self.variant, self.C = variant, C

    def binary(self, x, y, weight):
        loss = max(0.0, 1.0 - y * (self.W[0] @ x))
        tau = step(self.variant, loss, x @ x, weight * self.C)
        self.W[0] += tau * y * x

    def multiclass(self, x, right, weight):
        self.W = max_margin_step(self.W, x, right, self.variant, weight * self.C)


def max_margin_step(W, x, right, variant, C):
    """New rows: the label's gains what the best-scored other one loses; any k >= 2."""
    scores = W @ x
    wrong = best_wrong(scores, right)
    loss = max(0.0, 1.0 - (scores[right] - scores[wrong]))
    tau = step(variant, loss, 2.0 * (x @ x), C)
    W = np.array(W)
    W[right] += tau * x
    W[wrong] -= tau * x
    return W


class PARegressor:
    """The intercept stands last."""

    def __init__(self, d, variant="PA-I", C=1.0, epsilon=0.1, intercept=True):
        self.variant, self.C, self.epsilon, self.intercept = variant, C, epsilon, intercept
        self.W = np.zeros((1, d + intercept))
        self.seen = 0

    def extended(self, x):
        return np.append(x, 1.0) if self.intercept else np.asarray(x, dtype=float)

    def scores(self, x):
        return self.W @ self.extended(x)

    def learn(self, x, y, weight=1.0):
        if weight == 0.0:
            return
        self.seen += 1
        z = self.extended(x)
        error = y - self.W[0] @ z
        loss = max(0.0, abs(error) - self.epsilon)
        self.W[0] += np.sign(error) * step(self.variant, loss, z @ z, weight * self.C) * z
