"""SEA concepts."""

from ...base.blocks import Block
from ...base.checks import whole
from .generator import Draw, Generator, flipped

THRESHOLDS = (8.0, 9.0, 7.0, 9.5)


class SEA(Generator):
    """SEA concepts (Street and Kim, KDD 2001): whether x₀ + x₁ is above a threshold.

    Three features, uniform in [0, 10); the third one means nothing.

    Parameters
    ----------
    function : 1, 2, 3 or 4, default 1
        Which threshold: 8, 9, 7 or 9.5. Change it within a stream with `Drift`.
    noise : float from 0 to 1, default 0
        Share of labels turned round; MOA takes 0.1.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> x, y = next(iter(SEA(seed=1)))
    >>> sorted(x), y == (x[0] + x[1] > 8)
    ([0, 1, 2], True)
    """

    def __init__(self, function: int = 1, *, noise: float = 0.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.function = whole(self, "function", function, least=1, most=4)
        self.noise = self._share("noise", noise)

    def _start(self) -> Draw:
        uniform, noise = self._instances(2)
        threshold = THRESHOLDS[self.function - 1]

        def draw(n: int) -> Block:
            X = uniform.random((n, 3)) * 10.0
            return X, flipped(X[:, 0] + X[:, 1] > threshold, noise, self.noise)

        return draw
