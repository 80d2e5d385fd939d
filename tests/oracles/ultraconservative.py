"""Multiclass perceptrons and MIRA, by the rows of all labels; those of two are -w/2, +w/2."""

import numpy as np

from .linear import LinearOracle


class RowsOracle(LinearOracle):
    """What learns by `taus(M, x, right, weight)`: row r gains tau_r x."""

    def binary(self, x, y, weight):
        M = np.array([-0.5 * self.W[0], 0.5 * self.W[0]])
        M = M + np.outer(self.taus(M, x, int(y > 0.0), weight), x)
        self.W[0] = M[1] - M[0]

    def multiclass(self, x, right, weight):
        self.W = self.W + np.outer(self.taus(self.W, x, right, weight), x)


def perceptron_taus(scores, right, update):
    taus = np.zeros(len(scores))
    rivals = [r for r in range(len(scores)) if r != right and scores[r] >= scores[right]]
    if not rivals:
        return taus
    leads = np.array([scores[r] - scores[right] for r in rivals])
    if update == "max":
        shares = (np.arange(len(rivals)) == np.argmax(leads)).astype(float)
    elif update == "uniform" or leads.sum() == 0.0:
        shares = np.full(len(rivals), 1.0 / len(rivals))
    else:
        shares = leads / leads.sum()
    taus[rivals] = -shares
    taus[right] = 1.0
    return taus


class MulticlassPerceptron(RowsOracle):
    def __init__(self, d, update="max", **common):
        super().__init__(d, **common)
        self.how = update

    def taus(self, M, x, right, weight):
        return weight * perceptron_taus(M @ x, right, self.how)


def project(v, total):
    """The nearest point of {s >= 0, sum s = total}."""
    u = np.sort(v)[::-1]
    excess = (np.cumsum(u) - total) / np.arange(1, len(v) + 1)
    theta = excess[np.flatnonzero(u - excess > 0.0)[-1]]
    return np.maximum(v - theta, 0.0)


def mira_taus(A, B, right, beta, C):
    """Minimise A/2 sum tau^2 + sum (B - beta delta) tau with tau <= C delta and sum tau = 0."""
    delta = np.arange(len(B)) == right
    if np.isinf(C):
        return support_class_taus(A, B, right, beta)
    return C * delta - project((B - beta * delta) / A + C * delta, C)


def support_class_taus(A, B, right, beta):
    """The same without a cap."""
    losses = beta - (B[right] - B)
    losses[right] = -np.inf
    taken, total = [], 0.0
    for r in np.argsort(-losses):
        if losses[r] <= 0.0 or losses[r] <= total / (len(taken) + 1):
            break
        taken.append(r)
        total += losses[r]
    taus = np.zeros(len(B))
    T = total / ((len(taken) + 1) * A)
    taus[taken] = T - losses[taken] / A
    taus[right] = T
    return taus


class MIRA(RowsOracle):
    def __init__(self, d, beta=0.0, **common):
        super().__init__(d, **common)
        self.beta, self.C = beta, 1.0

    def taus(self, M, x, right, weight):
        if not x.any():
            return np.zeros(len(M))
        if self.beta == 0.0 and not M.any():
            return weight * self.C * perceptron_taus(M @ x, right, "uniform")
        return mira_taus(x @ x, M @ x, right, self.beta, weight * self.C)


class ExactMulticlassPA(MIRA):
    def __init__(self, d, C=1.0, **common):
        super().__init__(d, 1.0, **common)
        self.C = C
