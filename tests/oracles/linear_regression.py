"""Least squares by stochastic gradient."""

import numpy as np

from .rates import rate


class LinearRegression:
    """w += rate * x * (y - w.x); the intercept stands last and does not decay."""

    def __init__(
        self, d, eta=0.01, schedule="constant", power=0.6, l2=0.0, normalized=False, intercept=True
    ):
        self.eta, self.schedule, self.power, self.l2 = eta, schedule, power, l2
        self.normalized, self.intercept, self.d = normalized, intercept, d
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
        gamma = rate(self.schedule, self.seen, self.eta, self.power, self.l2)
        error = y - self.scores(x)[0]
        if self.normalized:
            gamma /= 1.0 + x @ x
        decay = np.zeros_like(self.W)
        decay[0, : self.d] = self.l2 * self.W[0, : self.d]
        self.W = self.W + gamma * (weight * error * self.extended(x) - decay)
