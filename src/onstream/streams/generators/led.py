"""The LED display."""

import numpy as np

from ...base.blocks import Block
from .generator import Draw, Generator, whole_numbers

DIGITS = [
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
]
SEGMENTS = np.array([[int(lit) for lit in digit] for digit in DIGITS])


class LED(Generator):
    """The LED display (Breiman et al., 1984): the digit that seven segments show.

    24 features of 0 and 1: the seven segments, then 17 that mean nothing. Ten labels.

    Parameters
    ----------
    noise : float from 0 to 1, default 0
        Probability that a segment is wrong. At 0.1, as MOA has it, the best possible error is
        0.26.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> x, digit = next(iter(LED(seed=1)))
    >>> len(x), 0 <= digit <= 9
    (24, True)
    """

    def __init__(self, *, noise: float = 0.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.noise = self._share("noise", noise)

    def _start(self) -> Draw:
        uniform, noise = self._instances(2)

        def draw(n: int) -> Block:
            chance = uniform.random((n, 18))
            y = whole_numbers(chance[:, 0], 0, 9)
            wrong = noise.random((n, 7)) < self.noise
            X = np.hstack([SEGMENTS[y] ^ wrong, chance[:, 1:] < 0.5])
            return X.astype(np.float64), y

        return draw
