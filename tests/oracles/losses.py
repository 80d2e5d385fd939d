"""The losses of the specification's table, and their slopes by central differences."""

import numpy as np


def value(name, y, p, kappa=1.0, epsilon=0.1, theta=0.5):
    e = y - p
    return {
        "squared": lambda: 0.5 * e**2,
        "absolute": lambda: abs(e),
        "huber": lambda: 0.5 * e**2 if abs(e) <= kappa else kappa * (abs(e) - kappa / 2.0),
        "epsilon_insensitive": lambda: max(0.0, abs(e) - epsilon),
        "quantile": lambda: max(theta * e, (theta - 1.0) * e),
        "hinge": lambda: max(0.0, 1.0 - y * p),
        "squared_hinge": lambda: max(0.0, 1.0 - y * p) ** 2,
        "logistic": lambda: float(np.logaddexp(0.0, -y * p)),
        "perceptron": lambda: max(0.0, -y * p),
    }[name]()


def slope(name, y, p, kappa=1.0, epsilon=0.1, theta=0.5):
    """dV/dp, as the table has it."""
    e = p - y
    return {
        "squared": lambda: e,
        "absolute": lambda: np.sign(e),
        "huber": lambda: float(np.clip(e, -kappa, kappa)),
        "epsilon_insensitive": lambda: np.sign(e) * (abs(e) > epsilon),
        "quantile": lambda: -theta if y > p else 1.0 - theta,
        "hinge": lambda: -y * (y * p < 1.0),
        "squared_hinge": lambda: -2.0 * y * max(0.0, 1.0 - y * p),
        "logistic": lambda: -y * 0.5 * (1.0 + np.tanh(-0.5 * y * p)),
        "perceptron": lambda: -y * (y * p <= 0.0),
    }[name]()


def difference(name, y, p, h=1e-6, **parameters):
    return (value(name, y, p + h, **parameters) - value(name, y, p - h, **parameters)) / (2.0 * h)
