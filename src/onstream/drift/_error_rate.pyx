"""Detectors of a rising error rate: the states of DDM, EDDM and HDDM."""

from libc.math cimport log, sqrt
from libc.string cimport memset

import numpy as np

from ..core.arrays cimport fill, floats
from ._detector cimport DetectorState

cdef double LN2 = log(2.0)


cdef class DDMState(DetectorState):
    cdef double warm_up
    cdef double min_errors
    cdef double warning_level
    cdef double drift_level
    cdef double n          # values since the last change
    cdef double errors     # of them wrong
    cdef double p_min      # where p + s was lowest; before that both 1, which is never reached
    cdef double s_min

    def __init__(self, double warm_up, double warning_level, double drift_level, double min_errors):
        self.low, self.high, self.only_ends = 0.0, 1.0, True
        self.warm_up, self.min_errors = warm_up, max(1.0, min_errors)
        self.warning_level, self.drift_level = warning_level, drift_level
        self.restart()

    cdef void restart(self) noexcept nogil:
        self.n = self.errors = 0.0
        self.p_min = self.s_min = 1.0

    cdef void push(self, double v) noexcept nogil:
        cdef double p, s
        self.drift = self.warning = False
        self.n += 1.0
        self.errors += v
        if self.n < self.warm_up or self.errors < self.min_errors:
            return
        # p: the error rate, s: its standard deviation; kept where p + s is lowest.
        p = self.errors / self.n
        s = sqrt(p * (1.0 - p) / self.n)
        if p + s <= self.p_min + self.s_min:
            self.p_min, self.s_min = p, s
        # A change: p + s > p_min + drift_level s_min.
        self.drift = p + s > self.p_min + self.drift_level * self.s_min
        self.warning = not self.drift and p + s > self.p_min + self.warning_level * self.s_min
        if self.drift:
            self.restart()

    def export(self):
        return {
            **DetectorState.export(self), "n": self.n, "errors": self.errors,
            "p_min": self.p_min, "s_min": self.s_min,
        }

    def restore(self, fields):
        DetectorState.restore(self, fields)
        self.n = fields.number("n", 0.0, self.seen)
        self.errors = fields.number("errors", 0.0, self.n)
        self.p_min = fields.number("p_min", 0.0, 1.0)
        self.s_min = fields.number("s_min", 0.0, 1.0)


cdef class EDDMState(DetectorState):
    cdef double warm_up
    cdef double warning_level
    cdef double drift_level
    cdef double n          # values since the last change
    cdef double last       # n at the last error
    cdef double errors     # how many
    cdef double mean       # distance between errors
    cdef double m2         # sum of squared distances from that mean
    cdef double q_max      # largest mean + 2 standard deviations

    def __init__(self, double warm_up, double warning_level, double drift_level):
        self.low, self.high, self.only_ends = 0.0, 1.0, True
        self.warm_up = warm_up
        self.warning_level, self.drift_level = warning_level, drift_level
        self.restart()

    cdef void restart(self) noexcept nogil:
        self.n = self.last = self.errors = self.mean = self.m2 = self.q_max = 0.0

    cdef void push(self, double v) noexcept nogil:
        cdef double distance, away, q
        self.drift = False
        self.n += 1.0
        if v == 0.0:
            return  # a warning lasts until the next error
        self.warning = False
        # Mean and variance of the distance between errors, by Welford's recursion.
        distance, self.last = self.n - self.last, self.n
        self.errors += 1.0
        away = distance - self.mean
        self.mean += away / self.errors
        self.m2 += away * (distance - self.mean)
        if self.n < self.warm_up:
            return
        # A change: q = mean + 2 sd falls below drift_level q_max.
        q = self.mean + 2.0 * sqrt(self.m2 / self.errors)
        if q > self.q_max:
            self.q_max = q
        elif self.errors > self.warm_up:
            self.drift = q < self.drift_level * self.q_max
            self.warning = not self.drift and q < self.warning_level * self.q_max
            if self.drift:
                self.restart()

    def export(self):
        return {
            **DetectorState.export(self), "n": self.n, "last": self.last, "errors": self.errors,
            "mean": self.mean, "m2": self.m2, "q_max": self.q_max,
        }

    def restore(self, fields):
        DetectorState.restore(self, fields)
        self.n = fields.number("n", 0.0, self.seen)
        self.last = fields.number("last", 0.0, self.n)
        self.errors = fields.number("errors", 0.0, self.n)
        self.mean = fields.number("mean", 0.0, self.n)
        self.m2 = fields.number("m2", 0.0)
        self.q_max = fields.number("q_max", 0.0)


cdef struct Sample:
    double n      # values; "W": 1 as soon as there is one
    double mean   # of them; "W": their moving average e
    double spread  # "W": I, the sum of squared weights


cdef struct Side:
    Sample all    # every value since the last change
    Sample low    # those up to where the mean was surely lowest
    Sample after  # "W": those since


cdef class HDDMState(DetectorState):
    cdef bint weighted
    cdef bint two_sided
    cdef double lam
    cdef double sure    # ln(1 / alpha) of a drift
    cdef double likely  # ... of a warning
    cdef Side up        # of the values
    cdef Side down      # of 1 - the values, which rise when these fall

    def __init__(self, str test, double alpha_drift, double alpha_warning, double lam, bint two_sided):
        self.low, self.high = 0.0, 1.0
        self.weighted, self.two_sided, self.lam = test == "W", two_sided, lam
        self.sure, self.likely = -log(alpha_drift), -log(alpha_warning)
        self.restart()

    cdef void restart(self) noexcept nogil:
        memset(&self.up, 0, sizeof(Side))
        memset(&self.down, 0, sizeof(Side))

    cdef void push(self, double v) noexcept nogil:
        cdef int level = self.judge(&self.up, v)
        if self.two_sided:
            level = max(level, self.judge(&self.down, 1.0 - v))
        self.drift, self.warning = level == 2, level == 1
        if self.drift:
            self.restart()

    cdef int judge(self, Side* s, double v) noexcept nogil:
        """2: the values have risen, 1: it seems so."""
        if self.weighted:
            return judge_weighted(s, v, self.lam, self.sure, self.likely)
        return judge_average(s, v, self.sure, self.likely)

    def export(self):
        up, down = floats(<double*> &self.up, 9), floats(<double*> &self.down, 9)  # Side is nine numbers
        return {**DetectorState.export(self), "up": up, "down": down}

    def restore(self, fields):
        DetectorState.restore(self, fields)
        sides = np.stack([fields.array("up", (9,)), fields.array("down", (9,))])
        if (sides < 0.0).any():
            raise ValueError("a sample has a negative number")
        fill(<double*> &self.up, sides[0])
        fill(<double*> &self.down, sides[1])


cdef int judge_average(Side* s, double v, double sure, double likely) noexcept nogil:
    """Test "A": the mean of all values against that up to the cut."""
    cdef double n, apart, room
    s.all.n += 1.0
    s.all.mean += (v - s.all.mean) / s.all.n
    n = s.all.n
    # The cut moves here if z + eps(n), eps(n) = sqrt(ln(1/alpha) / 2n), is lowest now.
    if s.low.n == 0.0 or (
            s.low.mean + sqrt(sure / (2.0 * s.low.n)) >= s.all.mean + sqrt(sure / (2.0 * n))):
        s.low = s.all
        return 0
    # A change: z - z1 >= sqrt((n - n1) / (2 n1 n) ln(2/alpha)).
    apart = s.all.mean - s.low.mean
    room = (n - s.low.n) / (2.0 * s.low.n * n)
    if apart >= sqrt(room * (sure + LN2)):
        return 2
    return apart >= sqrt(room * (likely + LN2))


cdef int judge_weighted(Side* s, double v, double lam, double sure, double likely) noexcept nogil:
    """Test "W": the moving average since the cut against that up to it."""
    cdef double apart, spread
    # The cut moves here if e + sqrt(I ln(1/alpha) / 2) is lowest now.
    weigh(&s.all, v, lam)
    if s.low.n == 0.0 or (
            s.all.mean + sqrt(0.5 * s.all.spread * sure)
            < s.low.mean + sqrt(0.5 * s.low.spread * sure)):
        s.low = s.all
        s.after.n = s.after.mean = s.after.spread = 0.0
        return 0
    # A change: e2 - e1 > sqrt((I1 + I2) ln(1/alpha) / 2).
    weigh(&s.after, v, lam)
    apart = s.after.mean - s.low.mean
    spread = 0.5 * (s.low.spread + s.after.spread)
    if apart > sqrt(spread * sure):
        return 2
    return apart > sqrt(spread * likely)


cdef void weigh(Sample* s, double v, double lam) noexcept nogil:
    """A value into a moving average; the first one starts it."""
    if s.n == 0.0:
        s.n, s.mean, s.spread = 1.0, v, 1.0
    else:
        s.mean += lam * (v - s.mean)
        s.spread = lam * lam + (1.0 - lam) * (1.0 - lam) * s.spread
