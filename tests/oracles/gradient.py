"""Gradient learners, eagerly: every weight is brought up to date in every step."""

import numpy as np

from .linear import LinearOracle
from .losses import slope
from .rates import rate


def soft(v, a):
    return np.sign(v) * np.maximum(np.abs(v) - a, 0.0)


class GradientOracle(LinearOracle):
    """One-vs-rest beyond two labels; `descend(G)` makes the step, G the gradient of every row."""

    def __init__(self, d, loss, batch=1, labels=None, **common):
        self.loss, self.batch, self.waiting, self.n = loss, batch, 0, 0
        self.parameters = {}
        super().__init__(d, **common)
        self.pending = np.zeros_like(self.W)
        self.free = np.zeros(self.W.shape[1], dtype=bool)
        self.free[d:] = True
        self.begin()

    def begin(self):
        pass

    signed = ("W", "pending")
    squares = ()

    def meet(self, label):
        if label in self.labels:
            return
        self.labels.append(label)
        for name in (*self.signed, *self.squares):
            matrix = getattr(self, name, None)
            if matrix is None:
                continue
            if len(self.labels) == 3:
                signs = [self.code(old) if name in self.signed else 1.0 for old in self.labels[:2]]
                old_rows = [s * matrix[0] for s in signs]
                setattr(self, name, np.array([*old_rows, np.zeros_like(matrix[0])]))
            elif len(self.labels) > 3:
                setattr(self, name, np.vstack([matrix, np.zeros_like(matrix[0])]))

    def binary(self, x, y, weight):
        self.collect(np.array([slope(self.loss, y, self.W[0] @ x, **self.parameters)]), x, weight)

    def multiclass(self, x, right, weight):
        f = self.W @ x
        slopes = [slope(self.loss, 1.0 if r == right else -1.0, f[r]) for r in range(len(f))]
        self.collect(np.array(slopes), x, weight)

    def collect(self, slopes, x, weight):
        self.pending = self.pending + weight * np.outer(slopes, x)
        self.waiting += 1
        if self.waiting == self.batch:
            self.n += 1
            self.descend(self.pending / self.waiting)
            self.pending = np.zeros_like(self.pending)
            self.waiting = 0


class Descent(GradientOracle):
    """SGD, FOBOS and truncated gradient with what goes with them."""

    def __init__(self, d, loss, eta=0.1, schedule="constant", power=0.6, l1=0.0, l2=0.0,
                 proximal=False, period=1, ceiling=np.inf, radius=np.inf, average=False,
                 average_from=0, **common):  # fmt: skip
        self.eta, self.schedule, self.power, self.l1, self.l2 = eta, schedule, power, l1, l2
        self.proximal, self.period, self.ceiling = proximal, period, ceiling
        self.radius, self.average, self.average_from = radius, average, average_from
        self.factor = 1.0
        super().__init__(d, loss, **common)

    def begin(self):
        self.total, self.averaged = np.zeros_like(self.W), 0
        self.signed = ("W", "pending", "total")

    def descend(self, G):
        gamma = self.factor * rate(self.schedule, self.n, self.eta, self.power, self.l2)
        held = ~self.free
        W = np.array(self.W)
        if not self.proximal:
            W[:, held] *= 1.0 - gamma * self.l2
        W -= gamma * G
        if self.n % self.period == 0:
            small = (np.abs(W) <= self.ceiling) & held
            W = np.where(small, soft(W, self.period * gamma * self.l1), W)
        if self.proximal:
            W[:, held] /= 1.0 + gamma * self.l2
        self.finish(W)

    def finish(self, W):
        held = ~self.free
        for row in W:
            norm = np.linalg.norm(row[held])
            if norm > self.radius:
                row[held] *= self.radius / norm
        self.W = W
        if self.average and self.n > self.average_from:
            self.total = self.total + W
            self.averaged += 1

    def predicting(self):
        return self.total / self.averaged if self.averaged else self.W

    def scores(self, x):
        return self.predicting() @ self.extended(x)


class AdaGrad(Descent):
    def __init__(self, d, loss, eps=1e-8, **common):
        self.eps = eps
        super().__init__(d, loss, **common)

    def begin(self):
        super().begin()
        self.S = np.zeros_like(self.W)
        self.squares = ("S",)

    def descend(self, G):
        self.S = self.S + G**2
        with np.errstate(divide="ignore", invalid="ignore"):
            gamma = np.where(self.S > 0.0, self.eta / (self.eps + np.sqrt(self.S)), 0.0)
        held = np.broadcast_to(~self.free, self.W.shape)
        W = self.W - gamma * G
        W = np.where(held, soft(W, gamma * self.l1) / (1.0 + gamma * self.l2), W)
        self.finish(W)


class RDA(GradientOracle):
    def __init__(self, d, loss, gamma=1.0, l1=0.0, **common):
        self.gamma, self.l1 = gamma, l1
        super().__init__(d, loss, **common)

    def begin(self):
        self.sums = np.zeros_like(self.W)
        self.signed = ("W", "pending", "sums")

    def descend(self, G):
        self.sums = self.sums + G
        mean = self.sums / self.n
        lam = np.where(self.free, 0.0, self.l1)
        self.W = -(np.sqrt(self.n) / self.gamma) * soft(mean, lam)


class FTRL(GradientOracle):
    def __init__(self, d, loss, alpha=0.1, beta=1.0, l1=0.0, l2=0.0, **common):
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        super().__init__(d, loss, **common)

    def begin(self):
        self.z, self.S = np.zeros_like(self.W), np.zeros_like(self.W)
        self.signed, self.squares = ("W", "pending", "z"), ("S",)

    def descend(self, G):
        sigma = (np.sqrt(self.S + G**2) - np.sqrt(self.S)) / self.alpha
        self.z = self.z + G - sigma * self.W
        self.S = self.S + G**2
        l1, l2 = (np.where(self.free, 0.0, value) for value in (self.l1, self.l2))
        self.W = -soft(self.z, l1) / ((self.beta + np.sqrt(self.S)) / self.alpha + l2)
