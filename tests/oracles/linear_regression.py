"""Least squares by stochastic gradient."""

import numpy as np

from .linear import RegressionOracle
from .rates import rate


class LinearRegression(RegressionOracle):
    """w += rate * x * (y - w.x); the intercept stands last and does not decay."""

    def __init__(
        self, d, eta=0.01, schedule="constant", power=0.6, l2=0.0, normalized=False, intercept=True
    ):
        super().__init__(d, intercept)
        self.eta, self.schedule, self.power, self.l2 = eta, schedule, power, l2
        self.normalized, self.d = normalized, d

    def update(self, x, y, weight):
        gamma = rate(self.schedule, self.seen, self.eta, self.power, self.l2)
        error = y - self.W[0] @ x
        if self.normalized:
            gamma /= 1.0 + x[: self.d] @ x[: self.d]
        decay = np.zeros_like(self.W)
        decay[0, : self.d] = self.l2 * self.W[0, : self.d]
        self.W = self.W + gamma * (weight * error * x - decay)
