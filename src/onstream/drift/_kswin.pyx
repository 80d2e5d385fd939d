"""KSWIN: its window, kept in order of arrival and sorted, and the test."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memmove

import numpy as np

from ..core.hashing cimport mix
from ..core.memory cimport release, resize
from ._detector cimport DetectorState

from ._detector import LARGEST


cdef class KSWINState(DetectorState):
    cdef Py_ssize_t window    # values at most
    cdef Py_ssize_t r         # values compared
    cdef Py_ssize_t critical  # least k, of a difference k / r, that is a change
    cdef uint64_t seed
    cdef int64_t draws        # random numbers drawn so far
    cdef Py_ssize_t n         # values in the window
    cdef Py_ssize_t first     # where the oldest stands
    cdef double* ring         # the window in order of arrival, from `first` on
    cdef double* recent       # the latest r, sorted
    cdef double* rest         # those before, sorted
    cdef double* drawn        # r of the rest, sorted

    def __cinit__(self, Py_ssize_t window, Py_ssize_t r, Py_ssize_t critical, uint64_t seed):
        self.window, self.r, self.critical, self.seed = window, r, critical, seed
        self.ring = <double*> resize(NULL, 0, window * sizeof(double))
        self.recent = <double*> resize(NULL, 0, r * sizeof(double))
        self.rest = <double*> resize(NULL, 0, window * sizeof(double))
        self.drawn = <double*> resize(NULL, 0, r * sizeof(double))

    def __dealloc__(self):
        release(self.ring)
        release(self.recent)
        release(self.rest)
        release(self.drawn)

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
            self.draw()  # a change: D = k / r with k >= critical
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
