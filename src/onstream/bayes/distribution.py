"""A normal distribution, as a learner predicts it."""

import math
from typing import NamedTuple


class Normal(NamedTuple):
    """A normal distribution."""

    mean: float
    variance: float

    @property
    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.variance)

    def log_density(self, y: float) -> float:
        """Logarithm of the density at y."""
        return -0.5 * (
            (y - self.mean) ** 2 / self.variance + math.log(2.0 * math.pi * self.variance)
        )
