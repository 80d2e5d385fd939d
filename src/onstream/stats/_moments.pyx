"""Count, sum, mean, variance, moving average: the states."""

from libc.math cimport exp, log1p

from ._statistic cimport StatisticState

from ..base.errors import NotMergeable
from ._statistic import LARGEST

MOST = 1e308  # of a sum


cdef class CountState(StatisticState):
    cdef object value(self):
        return self.n

    cdef int absorb(self, StatisticState other) except -1:
        return 0


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
        self.mean = self.bounded(fields, "mean", LARGEST)


cdef class VarianceState(StatisticState):
    cdef readonly double mean
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
        self.mean = self.bounded(fields, "mean", LARGEST)
        self.low = self.bounded(fields, "low", LARGEST)
        self.m2 = fields.number("m2", 0.0, min(LARGEST * LARGEST * self.n * (1.0 + 1e-9), MOST))


cdef class EWMAState(StatisticState):
    cdef double alpha
    cdef double m
    cdef double left  # (1 - alpha)^n: what the start at 0 still weighs

    def __init__(self, double alpha):
        self.alpha, self.left = alpha, 1.0

    cdef void push(self, double v, double w) noexcept:
        cdef double kept
        if w == 1.0:
            kept = 1.0 - self.alpha
            self.m += self.alpha * (v - self.m)
        else:
            kept = exp(w * log1p(-self.alpha)) if self.alpha < 1.0 else 0.0
            self.m += (1.0 - kept) * (v - self.m)
        self.left *= kept
        if self.left < 1e-300:  # nothing; and numbers near the smallest are slow
            self.left = 0.0

    cdef object value(self):
        return self.m / (1.0 - self.left) if self.left < 1.0 else 0.0

    cdef int absorb(self, StatisticState other) except -1:
        raise NotMergeable(
            "EWMA: the order of the values matters, so two averages cannot become one."
        )

    def export(self):
        return {**StatisticState.export(self), "m": self.m, "left": self.left}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.left = fields.number("left", 0.0, 1.0)
        self.m = self.bounded(fields, "m", LARGEST)
