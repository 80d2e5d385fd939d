"""Passive-aggressive classification: binary, and max-margin with one row per label."""

import numpy as np

from .linear import LinearOracle, RegressionOracle, best_wrong


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


class PARegressor(RegressionOracle):
    def __init__(self, d, variant="PA-I", C=1.0, epsilon=0.1, intercept=True):
        super().__init__(d, intercept)
        self.variant, self.C, self.epsilon = variant, C, epsilon

    def update(self, x, y, weight):
        error = y - self.W[0] @ x
        loss = max(0.0, abs(error) - self.epsilon)
        self.W[0] += np.sign(error) * step(self.variant, loss, x @ x, weight * self.C) * x
