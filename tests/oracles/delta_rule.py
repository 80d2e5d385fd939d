"""The delta rule for labels and for numbers."""

import numpy as np

from .linear import LinearOracle, RegressionOracle


class DeltaRule(LinearOracle):
    """Beyond two labels: one against the rest, from rows -w and +w."""

    def __init__(self, d, eta=0.01, **common):
        super().__init__(d, **common)
        self.eta = eta

    def meet(self, label):
        promoted = label not in self.labels and len(self.labels) == 2
        super().meet(label)
        if promoted:
            self.W *= 2.0

    def binary(self, x, y, weight):
        self.W[0] += weight * self.eta * (y - self.W[0] @ x) * x

    def multiclass(self, x, right, weight):
        targets = np.where(np.arange(len(self.W)) == right, 1.0, -1.0)
        self.W = self.W + weight * self.eta * np.outer(targets - self.W @ x, x)


class LMS(RegressionOracle):
    def __init__(self, d, eta=0.01, normalized=False, c=0.0, intercept=True):
        super().__init__(d, intercept)
        self.eta, self.normalized, self.c = eta, normalized, c

    def update(self, x, y, weight):
        size = self.c + x @ x if self.normalized else 1.0
        if size > 0.0:
            self.W[0] += weight * self.eta / size * (y - self.W[0] @ x) * x
