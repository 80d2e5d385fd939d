"""Recursive least squares, and the ridge regression it must equal."""

import numpy as np

from .linear import RegressionOracle


class RLS(RegressionOracle):
    """The intercept is one more feature and stands last."""

    def __init__(self, d, lam=1.0, forgetting=1.0, joseph=False, intercept=True):
        super().__init__(d, intercept)
        self.lam, self.mu, self.joseph = lam, forgetting, joseph
        self.P = np.eye(d + intercept) / lam

    def update(self, x, y, weight):
        d = len(x)
        Px = self.P @ x
        g = weight * Px / (self.mu + weight * (x @ Px))
        self.W[0] = self.W[0] + g * (y - self.W[0] @ x)
        if self.joseph:
            A = np.eye(d) - np.outer(g, x)
            P = A @ self.P @ A.T + self.mu / weight * np.outer(g, g)
        else:
            P = self.P - np.outer(g, Px)
        if np.trace(P) / self.mu <= 1e8 * d / self.lam:  # else it would wind up
            P = P / self.mu
        self.P = 0.5 * (P + P.T)


def ridge(X, y, lam, weights=None):
    """The minimiser of sum_i w_i (y_i - u.x_i)^2 + lam |u|^2, and the inverse of its matrix."""
    weights = np.ones(len(y)) if weights is None else weights
    A = (X * weights[:, np.newaxis]).T @ X + lam * np.eye(X.shape[1])
    return np.linalg.solve(A, X.T @ (weights * y)), np.linalg.inv(A)


def ridge_objective(u, X, y, lam):
    return lam * (u @ u) + np.sum((y - X @ u) ** 2)
