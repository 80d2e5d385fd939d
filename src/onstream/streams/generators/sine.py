"""SINE concepts."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import whole
from .generator import Draw, Generator


class Sine(Generator):
    """SINE concepts (Gama et al., SBIA 2004): whether x₁ is below a sine of x₀.

    Two features, uniform in [0, 1).

    Parameters
    ----------
    function : 1, 2, 3 or 4, default 1
        1: x₁ < sin x₀. 3: x₁ < 0.5 + 0.3 sin 3πx₀. 2 and 4: the same reversed.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> X, y = Sine(3, seed=1).block(1000)
    >>> bool(0.5 < y.mean() < 0.6)
    True
    """

    def __init__(self, function: int = 1, *, seed: int = 0) -> None:
        super().__init__(seed)
        self.function = whole(self, "function", function, least=1, most=4)

    def _start(self) -> Draw:
        (uniform,) = self._instances(1)

        def draw(n: int) -> Block:
            X = uniform.random((n, 2))
            if self.function <= 2:
                curve = np.sin(X[:, 0])
            else:
                curve = 0.5 + 0.3 * np.sin(3.0 * np.pi * X[:, 0])
            reverse = self.function in (2, 4)
            return X, ((X[:, 1] < curve) ^ reverse).astype(np.int64)

        return draw
