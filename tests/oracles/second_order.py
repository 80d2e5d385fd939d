"""AROW, CW and SCW: the table of the specification, with full or diagonal covariance."""

from math import sqrt

import numpy as np

from .linear import LinearOracle, best_wrong


def arow(m, v, r):
    if m >= 1.0:
        return None
    beta = 1.0 / (v + r)
    return (1.0 - m) * beta, beta


def beta_of(alpha, v, phi):
    u = 0.25 * (-alpha * v * phi + sqrt(alpha**2 * v**2 * phi**2 + 4.0 * v)) ** 2
    return alpha * phi / (sqrt(u) + v * alpha * phi)


def cw_alpha(m, v, phi):
    psi, xi = 1.0 + phi**2 / 2.0, 1.0 + phi**2
    return max(0.0, (-m * psi + sqrt(m**2 * phi**4 / 4.0 + v * phi**2 * xi)) / (v * xi))


def cw(m, v, phi):
    if m >= phi * sqrt(v):
        return None
    alpha = cw_alpha(m, v, phi)
    return alpha, beta_of(alpha, v, phi)


def cw_variance(m, v, phi):
    if m >= phi * v:
        return None
    t = 1.0 + 2.0 * phi * m
    alpha = (-t + sqrt(t**2 - 8.0 * phi * (m - phi * v))) / (4.0 * phi * v)
    return alpha, 2.0 * alpha * phi / (1.0 + 2.0 * alpha * phi * v)


def scw1(m, v, phi, C):
    if m >= phi * sqrt(v):
        return None
    alpha = min(C, cw_alpha(m, v, phi))
    return alpha, beta_of(alpha, v, phi)


def scw2(m, v, phi, C):
    if m >= phi * sqrt(v):
        return None
    n = v + 1.0 / (2.0 * C)
    root = sqrt(phi**4 * m**2 * v**2 + 4.0 * n * v * phi**2 * (n + phi**2 * v))
    alpha = max(0.0, (-m * (2.0 * n + phi**2 * v) + root) / (2.0 * n * (n + phi**2 * v)))
    return alpha, beta_of(alpha, v, phi)


class SecondOrder(LinearOracle):
    """`rule(m, v, weight)` gives alpha and beta, or None."""

    def __init__(self, d, rule, full=False, a=1.0, **common):
        self.rule, self.full, self.a = rule, full, a
        self.S = np.array([a * np.eye(d + common.get("intercept", True))])
        super().__init__(d, **common)

    def meet(self, label):
        if label in self.labels:
            return
        super().meet(label)
        new = 0.5 * self.a * np.eye(len(self.S[0]))
        if len(self.labels) == 3:
            self.S = np.array([0.5 * self.S[0], 0.5 * self.S[0], new])
        elif len(self.labels) > 3:
            self.S = np.concatenate([self.S, new[np.newaxis]])

    def move(self, r, x, alpha, beta):
        g = self.S[r] @ x
        self.W[r] += alpha * g
        change = beta * np.outer(g, g)
        self.S[r] -= change if self.full else np.diag(np.diag(change))

    def binary(self, x, y, weight):
        v = x @ self.S[0] @ x
        found = self.rule(y * (self.W[0] @ x), v, weight) if v >= 1e-14 else None
        if found:
            self.move(0, x, y * found[0], found[1])

    def multiclass(self, x, right, weight):
        scores = self.W @ x
        wrong = best_wrong(scores, right)
        v = x @ (self.S[right] + self.S[wrong]) @ x
        found = self.rule(scores[right] - scores[wrong], v, weight) if v >= 1e-14 else None
        if found:
            self.move(right, x, found[0], found[1])
            self.move(wrong, x, -found[0], found[1])
