"""The approximate large margin algorithm for the Euclidean norm (Gentile, JMLR 2, 2001)."""

import numpy as np

from .linear import LinearOracle, best_wrong


class ALMA(LinearOracle):
    def __init__(self, d, alpha=0.9, B=None, C=2.0**0.5, **common):
        super().__init__(d, **common)
        self.alpha, self.C = alpha, C
        self.B = 1.0 / alpha if B is None else B
        self.updates = 0

    def correct(self, direction, weight, unit=1.0):
        """One step of unit * W, in the unit ball, along a matrix of any length but 0."""
        length = np.linalg.norm(direction)
        if length == 0.0:
            return
        direction, V = direction / length, unit * self.W
        k = self.updates + 1
        if np.sum(V * direction) <= (1.0 - self.alpha) * self.B / np.sqrt(k):
            V = V + weight * self.C / np.sqrt(k) * direction
            self.W = V / max(1.0, np.linalg.norm(V)) / unit
            self.updates += 1

    def binary(self, x, y, weight):
        self.correct(y * x[np.newaxis], weight)

    def multiclass(self, x, right, weight):
        direction = np.zeros_like(self.W)
        direction[right] = x
        direction[best_wrong(self.W @ x, right)] = -x
        self.correct(direction, weight, unit=np.sqrt(2.0))
