"""The shifting perceptron; beyond two labels the max update with half steps."""

import numpy as np

from .linear import LinearOracle, best_wrong


class ShiftingPerceptron(LinearOracle):
    def __init__(self, d, lam=10.0, **common):
        super().__init__(d, **common)
        self.lam, self.k = lam, 0

    def share(self):
        self.k += 1
        return self.lam / (self.lam + self.k - 1)

    def binary(self, x, y, weight):
        if y * (self.W[0] @ x) <= 0.0:
            share = self.share()
            self.W[0] = (1.0 - share) * self.W[0] + share * weight * y * x

    def multiclass(self, x, right, weight):
        scores = self.W @ x
        wrong = best_wrong(scores, right)
        if scores[right] <= scores[wrong]:
            share = self.share()
            move = np.zeros((len(self.W), 1))
            move[right], move[wrong] = 0.5, -0.5
            self.W = (1.0 - share) * self.W + share * weight * move * x
