"""Friedman's regression problem."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import number
from .generator import Draw, Generator


class Friedman(Generator):
    """Friedman's function of five features out of ten (Annals of Statistics 19, 1991).

    y = 10 sin(πx₀x₁) + 20(x₂ − ½)² + 10x₃ + 5x₄ + noise, features uniform in [0, 1).

    Parameters
    ----------
    noise : float >= 0, default 1.0
        Standard deviation of the noise; 0 for the bare function.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> X, y = Friedman(seed=1).block(1000)
    >>> X.shape, bool(14 < y.mean() < 15)
    ((1000, 10), True)
    """

    def __init__(self, *, noise: float = 1.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.noise = number(self, "noise", noise, least=0.0)

    def _start(self) -> Draw:
        uniform, normal = self._instances(2)

        def draw(n: int) -> Block:
            X = uniform.random((n, 10))
            y = 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2
            y += 10.0 * X[:, 3] + 5.0 * X[:, 4] + self.noise * normal.standard_normal(n)
            return X, y

        return draw
