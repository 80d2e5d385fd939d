"""Detectors of a rising error rate: DDM, EDDM, HDDM. They take what a learner did: 1 if wrong."""

from libc.math cimport log, sqrt

from .detector cimport DetectorState

from ..base.checks import choice, flag, number, whole
from .detector import Detector


class DDM(Detector):
    """Drift detection method (Gama et al., SBIA, 2004).

    It remembers when the error rate p was lowest, and how sure that was: s = sqrt(p (1 - p) / n).
    A rate that rises above it by `drift_level` times s is a change. It does not judge before the
    first error, where s is 0; the paper does, and takes the first error of a good learner for a
    change.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it judges.
    warning_level : float > 0, default 2.0
        Standard deviations that make a change likely.
    drift_level : float > 0, default 3.0
        Standard deviations that make it sure; raise it for fewer false alarms.
    min_errors : int >= 0, default 0
        Errors before it judges; 30 gives fewer false alarms where errors are rare.

    Examples
    --------
    >>> DDM().update_many([0] * 100 + [1] * 10)
    array([102])
    """

    def __init__(self, *, warm_up=30, warning_level=2.0, drift_level=3.0, min_errors=0):
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.warning_level = number(self, "warning_level", warning_level, above=0.0)
        self.drift_level = number(self, "drift_level", drift_level, above=0.0)
        self.min_errors = whole(self, "min_errors", min_errors, least=0, most=2**62)
        self._begin()

    def _new_state(self):
        cdef DDMState state = DDMState("DDM", 0.0, 1.0, True)
        state.warm_up, state.min_errors = self.warm_up, max(1, self.min_errors)
        state.warning_level, state.drift_level = self.warning_level, self.drift_level
        state.begin()
        return state


cdef class DDMState(DetectorState):
    cdef double warm_up
    cdef double min_errors
    cdef double warning_level
    cdef double drift_level
    cdef double n          # values since the last change
    cdef double errors     # of them wrong
    cdef double p_min      # where p + s was lowest; before that both 1, which is never reached
    cdef double s_min

    cdef void begin(self) noexcept nogil:
        self.n = self.errors = 0.0
        self.p_min = self.s_min = 1.0

    cdef void push(self, double v) noexcept nogil:
        cdef double p, s
        self.drift = self.warning = False
        self.n += 1.0
        self.errors += v
        if self.n < self.warm_up or self.errors < self.min_errors:
            return
        p = self.errors / self.n
        s = sqrt(p * (1.0 - p) / self.n)
        if p + s <= self.p_min + self.s_min:
            self.p_min, self.s_min = p, s
        self.drift = p + s > self.p_min + self.drift_level * self.s_min
        self.warning = not self.drift and p + s > self.p_min + self.warning_level * self.s_min
        if self.drift:
            self.begin()

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


class EDDM(Detector):
    """Early drift detection method (Baena-García et al., 2006).

    It watches the distance between errors: mean + 2 standard deviations of it, against the largest
    that this has been. Errors that come closer are a change. Finds slow changes, and many that
    are none: on a steady stream of error rate 0.3 it raises an alarm every 400 values.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it remembers, and errors before it judges.
    warning_level : float in (0, 1], default 0.95
        Share of the largest distance below which a change is likely.
    drift_level : float in (0, 1], default 0.9
        Share below which it is sure; lower it for fewer false alarms.

    Examples
    --------
    >>> EDDM().update_many([0, 0, 0, 0, 1] * 40 + [0, 1] * 100)
    array([317])
    """

    def __init__(self, *, warm_up=30, warning_level=0.95, drift_level=0.9):
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.warning_level = number(self, "warning_level", warning_level, above=0.0, most=1.0)
        self.drift_level = number(self, "drift_level", drift_level, above=0.0, most=1.0)
        self._begin()

    def _new_state(self):
        cdef EDDMState state = EDDMState("EDDM", 0.0, 1.0, True)
        state.warm_up = self.warm_up
        state.warning_level, state.drift_level = self.warning_level, self.drift_level
        state.begin()
        return state


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

    cdef void begin(self) noexcept nogil:
        self.n = self.last = self.errors = self.mean = self.m2 = self.q_max = 0.0

    cdef void push(self, double v) noexcept nogil:
        cdef double distance, away, q
        self.drift = False
        self.n += 1.0
        if v == 0.0:
            return  # a warning lasts until the next error
        self.warning = False
        distance, self.last = self.n - self.last, self.n
        self.errors += 1.0
        away = distance - self.mean
        self.mean += away / self.errors
        self.m2 += away * (distance - self.mean)
        if self.n < self.warm_up:
            return
        q = self.mean + 2.0 * sqrt(self.m2 / self.errors)
        if q > self.q_max:
            self.q_max = q
        elif self.errors > self.warm_up:
            self.drift = q < self.drift_level * self.q_max
            self.warning = not self.drift and q < self.warning_level * self.q_max
            if self.drift:
                self.begin()

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


class HDDM(Detector):
    """Detection by Hoeffding's inequality (Frías-Blanco et al., IEEE TKDE 27, 2015).

    The mean of all values is held against the mean up to the point where it was surely lowest.
    Test "A" compares plain means and suits abrupt changes; "W" compares moving averages, which
    weigh the latest values most, and suits gradual ones.

    Parameters
    ----------
    test : {"A", "W"}, default "A"
        Which means to compare.
    alpha_drift : float in (0, 1), default 0.001
        How much chance may fool it; lower it for fewer false alarms and later true ones.
    alpha_warning : float in (0, 1), default 0.005
        The same for warnings; above `alpha_drift`.
    lam : float in (0, 1), default 0.05
        Weight of the latest value in the moving averages of test "W".
    two_sided : bool, default False
        Tell of falling values, too.

    Examples
    --------
    >>> HDDM().update_many([0] * 100 + [1] * 10)
    array([103])
    >>> HDDM(test="W").update_many([0] * 100 + [1] * 20)
    array([114])
    """

    def __init__(
        self, *, test="A", alpha_drift=0.001, alpha_warning=0.005, lam=0.05, two_sided=False,
    ):
        self.test = choice(self, "test", test, ("A", "W"))
        self.alpha_drift = number(self, "alpha_drift", alpha_drift, above=0.0, most=1.0 - 1e-9)
        self.alpha_warning = number(self, "alpha_warning", alpha_warning, above=0.0, most=1.0 - 1e-9)
        self.lam = number(self, "lam", lam, above=0.0, most=1.0 - 1e-9)
        self.two_sided = flag(self, "two_sided", two_sided)
        self._begin()

    def _new_state(self):
        cdef HDDMState state = HDDMState("HDDM", 0.0, 1.0, False)
        state.weighted, state.two_sided, state.lam = self.test == "W", self.two_sided, self.lam
        state.sure, state.likely = -log(self.alpha_drift), -log(self.alpha_warning)
        state.begin()
        return state


cdef struct Sample:
    double n      # values; "W": 1 as soon as there is one
    double mean   # of them
    double spread  # "W": sum of squared weights


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

    cdef void begin(self) noexcept nogil:
        clear(&self.up)
        clear(&self.down)

    cdef void push(self, double v) noexcept nogil:
        cdef int told = self.judge(&self.up, v), other = 0
        if self.two_sided:
            other = self.judge(&self.down, 1.0 - v)
        self.drift = told == 2 or other == 2
        self.warning = not self.drift and (told == 1 or other == 1)
        if self.drift:
            self.begin()

    cdef int judge(self, Side* s, double v) noexcept nogil:
        """2: the values have risen, 1: it seems so."""
        if self.weighted:
            return judge_weighted(s, v, self.lam, self.sure, self.likely)
        return judge_average(s, v, self.sure, self.likely)

    def export(self):
        return {**DetectorState.export(self), "up": told(&self.up), "down": told(&self.down)}

    def restore(self, fields):
        DetectorState.restore(self, fields)
        hear(&self.up, fields.array("up", (9,)))
        hear(&self.down, fields.array("down", (9,)))


cdef void clear(Side* s) noexcept nogil:
    s.all.n = s.low.n = s.after.n = s.all.mean = s.low.mean = s.after.mean = 0.0
    s.all.spread = s.low.spread = s.after.spread = 0.0


cdef int judge_average(Side* s, double v, double sure, double likely) noexcept nogil:
    cdef double n, apart, room
    s.all.n += 1.0
    s.all.mean += (v - s.all.mean) / s.all.n
    n = s.all.n
    # the cut moves here if z + eps(n), eps(n) = sqrt(ln(1/alpha) / 2n), is lowest now
    if s.low.n == 0.0 or (
            s.low.mean + sqrt(sure / (2.0 * s.low.n)) >= s.all.mean + sqrt(sure / (2.0 * n))):
        s.low = s.all
        return 0
    apart = s.all.mean - s.low.mean
    room = (n - s.low.n) / (2.0 * s.low.n * n)
    if apart >= sqrt(room * (sure + LN2)):
        return 2
    return apart >= sqrt(room * (likely + LN2))


cdef int judge_weighted(Side* s, double v, double lam, double sure, double likely) noexcept nogil:
    cdef double apart, spread
    weigh(&s.all, v, lam)
    if s.low.n == 0.0 or (
            s.all.mean + sqrt(0.5 * s.all.spread * sure)
            < s.low.mean + sqrt(0.5 * s.low.spread * sure)):
        s.low = s.all
        s.after.n = s.after.mean = s.after.spread = 0.0
        return 0
    weigh(&s.after, v, lam)
    apart = s.after.mean - s.low.mean
    spread = 0.5 * (s.low.spread + s.after.spread)
    if apart > sqrt(spread * sure):
        return 2
    return apart > sqrt(spread * likely)


cdef double LN2 = log(2.0)


cdef void weigh(Sample* s, double v, double lam) noexcept nogil:
    """A value into a moving average; the first one starts it."""
    if s.n == 0.0:
        s.n, s.mean, s.spread = 1.0, v, 1.0
    else:
        s.mean += lam * (v - s.mean)
        s.spread = lam * lam + (1.0 - lam) * (1.0 - lam) * s.spread


cdef told(const Side* s):
    """The numbers of one side."""
    import numpy as np

    return np.array([
        s.all.n, s.all.mean, s.all.spread, s.low.n, s.low.mean, s.low.spread,
        s.after.n, s.after.mean, s.after.spread,
    ])


cdef int hear(Side* s, numbers) except -1:
    if (numbers < 0.0).any():
        raise ValueError("a sample has a negative number")
    (
        s.all.n, s.all.mean, s.all.spread, s.low.n, s.low.mean, s.low.spread,
        s.after.n, s.after.mean, s.after.spread,
    ) = numbers.tolist()
    return 0
