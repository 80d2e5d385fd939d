"""STAGGER concepts."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import whole
from .generator import Draw, Generator, whole_numbers

VALUES = {
    "size": ("small", "medium", "large"),
    "color": ("red", "green", "blue"),
    "shape": ("circle", "square", "triangle"),
}


class STAGGER(Generator):
    """STAGGER concepts (Schlimmer and Granger, AAAI 1986) over size, color and shape.

    Three nominal features, three values each, all equally likely.

    Parameters
    ----------
    function : 1, 2 or 3, default 1
        1: small and red. 2: green or a circle. 3: medium or large.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> x, y = next(iter(STAGGER(seed=1)))
    >>> list(x), y == (x["size"] == "small" and x["color"] == "red")
    (['size', 'color', 'shape'], True)
    """

    def __init__(self, function: int = 1, *, seed: int = 0) -> None:
        super().__init__(seed)
        self.function = whole(self, "function", function, least=1, most=3)

    def _start(self) -> Draw:
        import pyarrow as pa

        (uniform,) = self._instances(1)

        def draw(n: int) -> Block:
            size, color, shape = whole_numbers(uniform.random((n, 3)), 0, 2).T
            if self.function == 1:
                y = (size == 0) & (color == 0)
            elif self.function == 2:
                y = (color == 1) | (shape == 0)
            else:
                y = size > 0
            columns = {
                name: pa.array(np.array(VALUES[name], dtype=object)[codes], pa.string())
                for name, codes in zip(VALUES, (size, color, shape), strict=True)
            }
            return pa.table(columns), y.astype(np.int64)

        return draw
