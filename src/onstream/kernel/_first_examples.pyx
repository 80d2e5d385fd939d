"""The median of the squared distances between the first examples: what a default gamma goes by.

It is measured anew at 2, 4, 8, ... examples, and for the last time at 64, when they are given up.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.float cimport DBL_MAX
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort

import numpy as np

from ..core.example cimport Example, feature

cdef enum:
    MOST = 64                      # examples: then it is frozen
    PAIRS = MOST * (MOST - 1) // 2

cdef double LEAST, LARGEST
LEAST, LARGEST = 1e-290, 1e290     # of a median, so that gamma is a number


cdef class FirstExamples:
    def __cinit__(self):
        self.open = True
        self.starts = <Py_ssize_t*> PyMem_RawCalloc(MOST + 1, sizeof(Py_ssize_t))
        self.gaps = <double*> PyMem_RawMalloc(PAIRS * sizeof(double))
        if self.starts == NULL or self.gaps == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.starts)
        PyMem_RawFree(self.entries)
        PyMem_RawFree(self.gaps)

    cdef bint hold(self, const Example* e) noexcept nogil:
        """Make room for an example about to be learned. False: no memory, nothing is changed."""
        cdef Py_ssize_t needed = self.starts[self.n] + e.n + 64 if self.open else 0
        cdef void* moved
        if needed - 64 <= self.room:
            return True
        moved = PyMem_RawRealloc(self.entries, needed * sizeof(Entry))
        if moved != NULL:
            self.entries, self.room = <Entry*> moved, needed
        return moved != NULL

    cdef bint watch(self, const Example* e) noexcept nogil:
        """Keep an example that was learned and has room. True: the median is another one."""
        cdef Py_ssize_t i, at = self.starts[self.n] if self.open else 0
        cdef double before = self.median
        if not self.open:
            return False
        for i in range(e.n):
            if e.values[i] != 0.0:
                self.entries[at].feature, self.entries[at].value = <int32_t> feature(e, i), e.values[i]
                at += 1
        if at > self.starts[self.n]:
            qsort(self.entries + self.starts[self.n], at - self.starts[self.n], sizeof(Entry), by_feature)
        self.n += 1
        self.starts[self.n] = at
        if self.n & (self.n - 1) == 0:
            self.measure()
        if self.n == MOST:
            self.close()
        return self.median != before

    cdef void close(self) noexcept nogil:
        """The median stays what it is."""
        PyMem_RawFree(self.entries)
        PyMem_RawFree(self.gaps)
        self.entries, self.gaps = NULL, NULL
        self.room = self.n = 0
        self.open = False

    cdef void measure(self) noexcept nogil:
        """The median of the distances that are not 0; if there is none, it stays what it is."""
        cdef double* gaps = self.gaps
        cdef Py_ssize_t i, j, n = 0
        for i in range(self.n):
            for j in range(i):
                gaps[n] = gap(
                    self.entries + self.starts[i], self.starts[i + 1] - self.starts[i],
                    self.entries + self.starts[j], self.starts[j + 1] - self.starts[j])
                n += 0.0 < gaps[n] <= DBL_MAX
        if n:
            qsort(gaps, n, sizeof(double), by_size)
            self.median = min(max(gaps[n // 2], LEAST), LARGEST)

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        cdef Py_ssize_t i, used = self.starts[self.n] if self.open else 0
        features, values = np.zeros(used, dtype=np.int64), np.zeros(used)
        for i in range(used):
            features[i], values[i] = self.entries[i].feature, self.entries[i].value
        starts = [self.starts[i] for i in range(self.n + 1)] if self.open else []
        return {
            "gamma_median": self.median, "gamma_starts": np.array(starts, dtype=np.int64),
            "gamma_features": features, "gamma_values": values,
        }

    def restore(self, fields):
        cdef Py_ssize_t i, used
        self.median = fields.number("gamma_median", 0.0)
        starts = fields.integers("gamma_starts", (-1,), 0, 2**40)
        features = fields.integers("gamma_features", (-1,), 0, 2**31 - 1)
        values = fields.array("gamma_values", (len(features),))
        if self.median != 0.0 and not LEAST <= self.median <= LARGEST:
            raise ValueError("gamma_median is no distance")
        if len(starts) == 0:
            if len(features):
                raise ValueError("gamma_features holds examples that are not counted")
            self.close()
            return
        if len(starts) > MOST or starts[0] or starts[-1] != len(features) or (np.diff(starts) < 0).any():
            raise ValueError("gamma_starts does not fit gamma_features")
        for a, b in zip(starts[:-1], starts[1:]):
            if (np.diff(features[a:b]) <= 0).any():
                raise ValueError("gamma_features are not in order")
        used = len(features)
        self.entries = <Entry*> PyMem_RawMalloc(max(1, used) * sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError
        self.room = used
        for i in range(used):
            self.entries[i].feature, self.entries[i].value = features[i], values[i]
        self.n = len(starts) - 1
        for i in range(len(starts)):
            self.starts[i] = starts[i]

    def memory(self):
        gaps = PAIRS * sizeof(double) if self.open else 0
        return self.room * sizeof(Entry) + (MOST + 1) * sizeof(Py_ssize_t) + gaps + 100


cdef double gap(const Entry* a, Py_ssize_t n, const Entry* b, Py_ssize_t m) noexcept nogil:
    """Squared distance of two examples."""
    cdef Py_ssize_t i = 0, j = 0
    cdef double total = 0.0, apart
    while i < n or j < m:
        if j == m or i < n and a[i].feature < b[j].feature:
            apart = a[i].value
            i += 1
        elif i == n or b[j].feature < a[i].feature:
            apart = b[j].value
            j += 1
        else:
            apart = a[i].value - b[j].value
            i += 1
            j += 1
        total += apart * apart
    return total


cdef int by_feature(const void* x, const void* y) noexcept nogil:
    cdef int32_t a = (<const Entry*> x).feature, b = (<const Entry*> y).feature
    return (a > b) - (a < b)


cdef int by_size(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return (a > b) - (a < b)
