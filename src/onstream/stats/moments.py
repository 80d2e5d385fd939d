"""Count, sum, mean, variance, moving average."""

import math

from ..base.checks import number
from ._moments import CountState, EWMAState, MeanState, SumState, VarianceState
from .base import Statistic


class Count(Statistic):
    """How many values there were, as the sum of their weights.

    Examples
    --------
    >>> count = Count()
    >>> count.update_many([5, 6, 7])
    >>> count.value
    3.0
    """

    def _new_state(self) -> CountState:
        return CountState()


class Sum(Statistic):
    """Sum of the values, each times its weight.

    The rounding of each addition is kept and added in the end (Neumaier), so a sum over years is
    as good as one over a minute.

    Examples
    --------
    >>> total = Sum()
    >>> total.update_many([1e16, 1.0, -1e16])
    >>> total.value
    1.0
    """

    def _new_state(self) -> SumState:
        return SumState()


class Mean(Statistic):
    """Mean of the values: mu += (v - mu) w / n. 0.0 before any.

    Examples
    --------
    >>> mean = Mean()
    >>> mean.update_many([2, 4, 9])
    >>> mean.value
    5.0
    """

    def _new_state(self) -> MeanState:
        return MeanState()

    @property
    def mean(self) -> float:
        """The same as `value`."""
        return float(self.value)


class Variance(Statistic):
    """Variance of the values, divided by n - 1 (Welford, Technometrics 4, 1962). 0.0 before two.

    It stays right where the values are large and differ little.

    Examples
    --------
    >>> variance = Variance()
    >>> variance.update_many([2, 4, 4, 4, 5, 5, 7, 9])
    >>> variance.mean, round(variance.value, 4)
    (5.0, 4.5714)
    """

    def _new_state(self) -> VarianceState:
        return VarianceState()

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(self._state.mean)

    @property
    def variance(self) -> float:
        """The same as `value`."""
        return float(self.value)

    @property
    def std(self) -> float:
        """Standard deviation: the root of the variance."""
        return math.sqrt(self.value)


class EWMA(Statistic):
    """Exponentially weighted moving average: m += alpha (v - m), corrected for its start at 0.

    The correction divides by 1 - (1 - alpha)^n, so that the first value is its own average. A
    value of weight w counts as w values at once. 0.0 before any. The order of the values matters,
    so two of them cannot be merged.

    Parameters
    ----------
    alpha : float from 1e-12 to 1, default 0.05
        Weight of the latest value: raise it to follow faster. About the last 2 / alpha values
        count.

    Examples
    --------
    >>> average = EWMA(alpha=0.5)
    >>> average.update_many([1, 1, 4])
    >>> round(average.value, 3)
    2.714
    """

    def __init__(self, *, alpha: float = 0.05) -> None:
        self.alpha = number(self, "alpha", alpha, least=1e-12, most=1.0)  # below, 1 - alpha is 1
        super().__init__()

    def _new_state(self) -> EWMAState:
        return EWMAState(self.alpha)
