"""KSWIN: do the latest values have the distribution of those before?"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memmove

from math import comb, exp, lgamma

import numpy as np

from ..core.hashing cimport mix
from ..core.memory cimport release, resize
from .detector cimport DetectorState

from ..base.checks import number, whole
from .detector import LARGEST, Detector


EXACT = 500  # values compared, up to which the test is in whole numbers


class KSWIN(Detector):
    """Kolmogorov-Smirnov windowing (Raab et al., Neurocomputing 416, 2020).

    At every value the latest `stat_size` of the window are compared with as many drawn from the
    rest of it, by the exact two-sample test. It sees any change of the distribution, not only of
    the mean. One test per value makes many tests: at the default, one false alarm in about 730
    values. To act on its alarms take alpha=1e-4. There are no warnings.

    Parameters
    ----------
    alpha : float in (0, 1), default 0.005
        Largest chance of such a difference in one test; lower it for fewer false alarms.
    window : int >= 2 * stat_size, default 100
        Values it remembers; after a change only the latest `stat_size` stay.
    stat_size : int >= 2, default 30
        Values that are compared; raise it to see smaller differences, later.
    seed : int, default 0
        Seed of the drawing.

    Examples
    --------
    >>> KSWIN(alpha=1e-4).update_many([i % 7 for i in range(200)] + [i % 7 + 5 for i in range(50)])
    array([221])
    """

    def __init__(self, *, alpha=0.005, window=100, stat_size=30, seed=0):
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0 - 1e-9)
        self.stat_size = whole(self, "stat_size", stat_size, least=2, most=100_000)
        self.window = whole(self, "window", window, least=2 * self.stat_size, most=10_000_000)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        self._begin()

    def _new_state(self):
        cdef KSWINState state = KSWINState("KSWIN")
        state.make_room(self.window, self.stat_size)
        state.critical = critical(self.stat_size, self.alpha)
        state.seed = self.seed
        return state


def critical(r, alpha):
    """The smallest k for which two samples of r values differ by k / r with chance <= alpha.

    p(k) = 2 sum over j >= 1 of (-1)^(j+1) C(2r, r - jk) / C(2r, r), in whole numbers; r + 1 if
    there is no such k. For long samples, where whole numbers would take minutes, in floats.
    """
    if r > EXACT:
        return about_critical(r, alpha)
    whole_numbers = float(alpha).as_integer_ratio()
    for k in range(1, r + 1):
        ways = 2 * sum((-1) ** (j + 1) * comb(2 * r, r - j * k) for j in range(1, r // k + 1))
        if ways * whole_numbers[1] <= whole_numbers[0] * comb(2 * r, r):
            return k
    return r + 1


def about_critical(r, alpha):
    """The same by logarithms: p(k) falls with k, so halving finds the place."""
    middle = 2.0 * lgamma(r + 1.0)
    low, high = 1, r + 1
    while low < high:
        k = (low + high) // 2
        p, j = 0.0, 1
        while j * k <= r:
            term = exp(middle - lgamma(r - j * k + 1.0) - lgamma(r + j * k + 1.0))
            p += 2.0 * term if j % 2 else -2.0 * term
            if term < 1e-20:
                break
            j += 1
        if p <= alpha:
            high = k
        else:
            low = k + 1
    return low


cdef class KSWINState(DetectorState):
    cdef Py_ssize_t window    # values at most
    cdef Py_ssize_t r         # values compared
    cdef Py_ssize_t critical  # difference that is a change
    cdef uint64_t seed
    cdef int64_t draws        # random numbers drawn so far
    cdef Py_ssize_t n         # values in the window
    cdef Py_ssize_t first     # where the oldest stands
    cdef double* ring         # the window in order of arrival, from `first` on
    cdef double* recent       # the latest r, sorted
    cdef double* rest         # those before, sorted
    cdef double* drawn        # r of the rest, sorted

    def __cinit__(self, *args):
        self.n = self.first = self.draws = 0
        self.ring = self.recent = self.rest = self.drawn = NULL

    def __dealloc__(self):
        release(self.ring)
        release(self.recent)
        release(self.rest)
        release(self.drawn)

    def make_room(self, window, r):
        self.window, self.r = window, r
        self.ring = <double*> resize(NULL, 0, self.window * sizeof(double))
        self.recent = <double*> resize(NULL, 0, self.r * sizeof(double))
        self.rest = <double*> resize(NULL, 0, self.window * sizeof(double))
        self.drawn = <double*> resize(NULL, 0, self.r * sizeof(double))

    cdef double at(self, Py_ssize_t i) noexcept nogil:
        """Value number i of the window, the oldest first."""
        i += self.first
        return self.ring[i - self.window if i >= self.window else i]

    cdef void take(self, double v) noexcept nogil:
        """v becomes the latest of the window."""
        cdef Py_ssize_t others = max(0, self.n - self.r)
        cdef double leaving
        if self.n == self.window:
            remove(self.rest, others, self.at(0))
            others -= 1
            self.n -= 1
            self.first = self.first + 1 if self.first + 1 < self.window else 0
        if self.n >= self.r:
            leaving = self.at(self.n - self.r)
            remove(self.recent, self.r, leaving)
            insert(self.rest, others, leaving)
            insert(self.recent, self.r - 1, v)
        else:
            insert(self.recent, self.n, v)
        self.ring[(self.first + self.n) % self.window] = v
        self.n += 1

    cdef void push(self, double v) noexcept nogil:
        self.take(v)
        self.drift = False
        if self.n == self.window:
            self.draw()
            self.drift = largest_gap(self.recent, self.drawn, self.r) >= self.critical
            if self.drift:  # only the latest stay
                self.first = (self.first + self.n - self.r) % self.window
                self.n = self.r

    cdef void draw(self) noexcept nogil:
        """r of the rest without replacement. Going through them in order keeps them sorted."""
        cdef Py_ssize_t left = self.n - self.r, needed = self.r, i
        cdef uint64_t step = 0x9E3779B97F4A7C15, bits
        for i in range(self.n - self.r):
            self.draws += 1
            bits = mix(self.seed + <uint64_t> self.draws * step) >> 11
            if <double> bits / 9007199254740992.0 * left < needed:  # 2**53
                self.drawn[self.r - needed] = self.rest[i]
                needed -= 1
            left -= 1

    def export(self):
        cdef Py_ssize_t i
        values = np.array([self.at(i) for i in range(self.n)], dtype=np.float64)
        return {**DetectorState.export(self), "draws": self.draws, "n": self.n, "values": values}

    def restore(self, fields):
        cdef Py_ssize_t n = fields.integer("n", 0, self.window)
        cdef double v
        DetectorState.restore(self, fields)
        self.draws = fields.integer("draws", 0)
        if n > self.seen:
            raise ValueError(f"there are {n} values of {self.seen}")
        values = fields.array("values", (n,))
        if (np.abs(values) > LARGEST).any():
            raise ValueError(f"values holds a number beyond {LARGEST:g}")
        for v in values.tolist():
            self.take(v)

    def memory(self):
        return DetectorState.memory(self) + 2 * (self.window + self.r) * sizeof(double)


cdef Py_ssize_t place(const double* values, Py_ssize_t n, double v) noexcept nogil:
    """Where v stands, or would stand, in sorted values."""
    cdef Py_ssize_t low = 0, high = n, mid
    while low < high:
        mid = (low + high) // 2
        if values[mid] < v:
            low = mid + 1
        else:
            high = mid
    return low


cdef void insert(double* values, Py_ssize_t n, double v) noexcept nogil:
    cdef Py_ssize_t i = place(values, n, v)
    memmove(values + i + 1, values + i, (n - i) * sizeof(double))
    values[i] = v


cdef void remove(double* values, Py_ssize_t n, double v) noexcept nogil:
    cdef Py_ssize_t i = place(values, n, v)
    memmove(values + i, values + i + 1, (n - i - 1) * sizeof(double))


cdef Py_ssize_t largest_gap(const double* a, const double* b, Py_ssize_t r) noexcept nogil:
    """max over x of | #(a <= x) - #(b <= x) |"""
    cdef Py_ssize_t i = 0, j = 0, most = 0
    cdef double x
    while i < r and j < r:
        x = min(a[i], b[j])
        while i < r and a[i] == x:
            i += 1
        while j < r and b[j] == x:
            j += 1
        most = max(most, i - j, j - i)
    return most
