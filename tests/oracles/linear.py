"""What the reference learners share: rows of weights; labels, and the step from two to more."""

import numpy as np


class Rows:
    """Rows of weights; the intercept stands last."""

    def __init__(self, d, intercept=True):
        self.intercept = intercept
        self.W = np.zeros((1, d + intercept))
        self.seen = 0

    def extended(self, x):
        return np.append(x, 1.0) if self.intercept else np.asarray(x, dtype=float)

    def scores(self, x):
        return self.W @ self.extended(x)


class RegressionOracle(Rows):
    """One row of weights."""

    def learn(self, x, y, weight=1.0):
        if weight == 0.0:
            return
        self.seen += 1
        self.update(self.extended(x), y, weight)


class LinearOracle(Rows):
    """One row of weights for two labels, one row per label for more."""

    def __init__(self, d, intercept=True, labels=()):
        super().__init__(d, intercept)
        self.labels = []
        for label in labels:
            self.meet(label)

    def code(self, label):
        """-1 or +1: a first label True or 1 is +1, any other first label is -1."""
        first_is_positive = self.labels[0] in (True, 1)
        return 1.0 if (label == self.labels[0]) == first_is_positive else -1.0

    def meet(self, label):
        if label in self.labels:
            return
        self.labels.append(label)
        if len(self.labels) == 3:
            halves = [0.5 * self.code(old) * self.W[0] for old in self.labels[:2]]
            self.W = np.array([*halves, np.zeros_like(self.W[0])])
        elif len(self.labels) > 3:
            self.W = np.vstack([self.W, np.zeros_like(self.W[0])])

    def predict(self, x):
        scores = self.scores(x)
        if len(self.labels) > 2:
            return self.labels[int(np.argmax(scores))]
        sign = 1.0 if scores[0] >= 0.0 else -1.0
        return next((y for y in self.labels if self.code(y) == sign), self.labels[0])

    def learn(self, x, label, weight=1.0):
        if weight == 0.0:
            return
        self.meet(label)
        self.seen += 1
        if len(self.labels) <= 2:
            self.binary(self.extended(x), self.code(label), weight)
        else:
            self.multiclass(self.extended(x), self.labels.index(label), weight)


def best_wrong(scores, right):
    """The highest score but that of `right`, the lowest index on ties."""
    others = np.array(scores)
    others[right] = -np.inf
    return int(np.argmax(others))
