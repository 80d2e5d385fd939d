"""Breiman's waveforms."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import flag
from .generator import Draw, Generator, whole_numbers

POINTS = np.arange(21)
WAVES = np.maximum(0.0, 6.0 - np.abs(POINTS - np.array([[6], [14], [10]])))
PAIRS = np.array([(0, 1), (0, 2), (1, 2)])


class Waveform(Generator):
    """Breiman's waveforms (Classification and Regression Trees, 1984): which two are mixed.

    21 points of a random mixture of two of three triangular waves, with normal noise. Three
    labels; the best possible accuracy is about 0.87.

    Parameters
    ----------
    irrelevant : bool, default False
        Add 19 features that are noise alone.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> X, y = Waveform(irrelevant=True, seed=1).block(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 40), [0, 1, 2])
    """

    def __init__(self, *, irrelevant: bool = False, seed: int = 0) -> None:
        super().__init__(seed)
        self.irrelevant = flag(self, "irrelevant", irrelevant)

    def _start(self) -> Draw:
        uniform, normal, more = self._instances(3)

        def draw(n: int) -> Block:
            chance = uniform.random((n, 2))
            y = whole_numbers(chance[:, 0], 0, 2)
            a, b = PAIRS[y].T
            u = chance[:, 1:]
            X = u * WAVES[a] + (1.0 - u) * WAVES[b] + normal.standard_normal((n, 21))
            if self.irrelevant:
                X = np.hstack([X, more.standard_normal((n, 19))])
            return X, y

        return draw
