"""Count, sum, mean, variance, moving average."""

from libc.math cimport exp, log1p, sqrt

from .statistic cimport StatisticState

from ..base.checks import number
from ..base.errors import NotMergeable
from .statistic import LARGEST, Statistic

MOST = 1e308  # of a sum


class Count(Statistic):
    """How many values there were, as the sum of their weights.

    Examples
    --------
    >>> count = Count()
    >>> count.update_many([5, 6, 7])
    >>> count.value
    3.0
    """

    def __init__(self):
        self._begin()

    def _new_state(self):
        return CountState("Count")


cdef class CountState(StatisticState):
    cdef object value(self):
        return self.n

    cdef int absorb(self, StatisticState other) except -1:
        return 0


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

    def __init__(self):
        self._begin()

    def _new_state(self):
        return SumState("Sum")


cdef class SumState(StatisticState):
    cdef double total
    cdef double lost  # what rounding took away

    cdef void push(self, double v, double w) noexcept:
        self.add(v * w)

    cdef void add(self, double v) noexcept:
        cdef double total = self.total + v
        if abs(self.total) >= abs(v):
            self.lost += (self.total - total) + v
        else:
            self.lost += (v - total) + self.total
        self.total = total

    cdef object value(self):
        return self.total + self.lost

    cdef int absorb(self, StatisticState other) except -1:
        cdef SumState they = other
        self.add(they.total)
        self.add(they.lost)
        return 0

    def export(self):
        return {**StatisticState.export(self), "total": self.total, "lost": self.lost}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.total = self.bounded(fields, "total", min(LARGEST * self.n, MOST))
        self.lost = self.bounded(fields, "lost", min(LARGEST * self.n, MOST))


class Mean(Statistic):
    """Mean of the values: mu += (v - mu) w / n. 0.0 before any.

    Examples
    --------
    >>> mean = Mean()
    >>> mean.update_many([2, 4, 9])
    >>> mean.value
    5.0
    """

    def __init__(self):
        self._begin()

    def _new_state(self):
        return MeanState("Mean")

    @property
    def mean(self):
        """The same as `value`."""
        return self.value


cdef class MeanState(StatisticState):
    cdef double mean

    cdef void push(self, double v, double w) noexcept:
        self.mean += (v - self.mean) * (w / self.n)

    cdef object value(self):
        return self.mean

    cdef int absorb(self, StatisticState other) except -1:
        cdef MeanState they = other
        if they.n > 0.0:
            self.mean += (they.mean - self.mean) * (they.n / (self.n + they.n))
        return 0

    def export(self):
        return {**StatisticState.export(self), "mean": self.mean}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.mean = self.bounded(fields, "mean")


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

    def __init__(self):
        self._begin()

    def _new_state(self):
        return VarianceState("Variance")

    @property
    def mean(self):
        """Mean of the values."""
        return (<VarianceState> self._state).mean

    @property
    def variance(self):
        """The same as `value`."""
        return self.value

    @property
    def std(self):
        """Standard deviation: the root of the variance."""
        return sqrt(self.value)


cdef class VarianceState(StatisticState):
    cdef double mean
    cdef double low  # what rounding took from the mean: at 1e9, a unit in its last place is 1e-7
    cdef double m2   # sum of squared distances from the mean

    cdef void push(self, double v, double w) noexcept:
        cdef double away = (v - self.mean) - self.low
        self.move(away * (w / self.n))
        self.m2 += max(0.0, w * away * ((v - self.mean) - self.low))  # below 0 only by rounding

    cdef void move(self, double step) noexcept:
        """The mean becomes mean + step."""
        cdef double mean = self.mean + step, moved = mean - self.mean
        self.low += (self.mean - (mean - moved)) + (step - moved)
        self.mean = mean

    cdef object value(self):
        return self.m2 / (self.n - 1.0) if self.n > 1.0 else 0.0

    cdef int absorb(self, StatisticState other) except -1:
        cdef VarianceState they = other
        cdef double n = self.n + they.n
        cdef double apart = (they.mean - self.mean) + (they.low - self.low)
        if they.n > 0.0:
            self.m2 += they.m2 + apart * apart * (self.n * (they.n / n))
            self.move(apart * (they.n / n))
        return 0

    def export(self):
        return {**StatisticState.export(self), "mean": self.mean, "low": self.low, "m2": self.m2}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.mean = self.bounded(fields, "mean")
        self.low = self.bounded(fields, "low")
        self.m2 = fields.number("m2", 0.0, min(LARGEST * LARGEST * self.n * (1.0 + 1e-9), MOST))


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

    def __init__(self, *, alpha=0.05):
        self.alpha = number(self, "alpha", alpha, least=1e-12, most=1.0)  # below, 1 - alpha is 1
        self._begin()

    def _new_state(self):
        cdef EWMAState state = EWMAState("EWMA")
        state.alpha = self.alpha
        state.left = 1.0
        return state


cdef class EWMAState(StatisticState):
    cdef double alpha
    cdef double m
    cdef double left  # (1 - alpha)^n: what the start at 0 still weighs

    cdef void push(self, double v, double w) noexcept:
        cdef double kept
        if w == 1.0:
            kept = 1.0 - self.alpha
            self.m += self.alpha * (v - self.m)
        else:
            kept = exp(w * log1p(-self.alpha)) if self.alpha < 1.0 else 0.0
            self.m += (1.0 - kept) * (v - self.m)
        self.left *= kept

    cdef object value(self):
        return self.m / (1.0 - self.left) if self.left < 1.0 else 0.0

    cdef int absorb(self, StatisticState other) except -1:
        raise NotMergeable("EWMA: the order of the values matters, so two averages cannot become one.")

    def export(self):
        return {**StatisticState.export(self), "m": self.m, "left": self.left}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.left = fields.number("left", 0.0, 1.0)
        self.m = self.bounded(fields, "m", LARGEST)
