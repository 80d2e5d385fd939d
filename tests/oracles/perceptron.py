"""The general perceptron, and the max update of the multiclass one."""

import numpy as np

from .linear import LinearOracle, best_wrong


def at(value, t):
    return value(t) if callable(value) else value


class Perceptron(LinearOracle):
    def __init__(self, d, beta=0.0, gamma=1.0, alpha=1.0, **common):
        super().__init__(d, **common)
        self.beta, self.gamma, self.alpha = beta, gamma, alpha
        self.updates = 0

    def now(self):
        return (at(value, self.seen) for value in (self.beta, self.gamma, self.alpha))

    def binary(self, x, y, weight):
        beta, gamma, alpha = self.now()
        if y * (self.W[0] @ x) <= beta:
            self.W[0] = gamma * self.W[0] + weight * alpha * y * x
            self.updates += 1

    def multiclass(self, x, right, weight):
        beta, gamma, alpha = self.now()
        scores = self.W @ x
        wrong = best_wrong(scores, right)
        if scores[right] - scores[wrong] <= beta:
            self.W = gamma * self.W
            self.W[right] += 0.5 * weight * alpha * x
            self.W[wrong] -= 0.5 * weight * alpha * x
            self.updates += 1


class MulticlassPerceptron:
    """Ultraconservative, with whole steps: +x for the label, -x for the best-scored other one."""

    def __init__(self, d, k):
        self.W = np.zeros((k, d))

    def predict(self, x):
        return int(np.argmax(self.W @ x))

    def learn(self, x, right):
        scores = self.W @ x
        wrong = best_wrong(scores, right)
        if scores[wrong] >= scores[right]:
            self.W[right] += x
            self.W[wrong] -= x


class SignPerceptron:
    """The form with predicted signs, w += rho * (y - sign(w.x)) * x, where sign(0) = +1."""

    def __init__(self, d, rho):
        self.rho = rho
        self.w = np.zeros(d)

    def learn(self, x, y):
        predicted = 1.0 if self.w @ x >= 0.0 else -1.0
        self.w = self.w + self.rho * (y - predicted) * x
