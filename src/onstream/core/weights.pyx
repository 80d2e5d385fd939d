"""Weights of linear models: a growing matrix, one row per feature, one column per output.
"""

from libc.float cimport DBL_MAX
from libc.math cimport fabs, ldexp
from libc.string cimport memcpy, memmove, memset

import numpy as np

from .arrays cimport doubles
from .example cimport LEARNED, OVERFLOW, SAFE, Example, feature, onstream_peak
from .memory cimport release, resize, roomier


cdef enum:
    LINE = 64         # bytes of a cache line, where weights begin
    SAFE_SHIFT = 520  # x * 2**-520 and v * 2**-520: their product cannot overflow


cdef class Weights:
    def __cinit__(self, Py_ssize_t k, bint intercept):
        self.v = self.b = NULL
        self.block = NULL
        self.rows = self.room = 0
        self.k = self.stride = k
        self.expected = 0
        self.intercept = intercept
        self.appended = False
        self.scale = 1.0
        self.bound = 0.0
        self.b = <double*> resize(NULL, 0, k * sizeof(double))

    def __dealloc__(self):
        release(self.block)
        release(self.b)

    cdef int reserve(self, Py_ssize_t rows) except -1:
        """Features 0 ... rows-1 exist; new ones weigh nothing."""
        cdef Py_ssize_t room, item = self.stride * sizeof(double)
        if rows > self.room:
            room = rows if self.room == 0 else roomier(self.room, rows)
            self.block = lines(self.block, &self.v, self.room * item, room * item)
            self.room = room
        if rows > self.rows:
            self.rows = rows
        return 0

    cdef int set_columns(self, Py_ssize_t k) except -1:
        """k columns; added ones are zero."""
        cdef Py_ssize_t stride, i
        cdef void* block
        cdef double* v = NULL
        cdef double* b
        if k > self.stride:
            stride = max(k + k // 4 if self.room else k, self.expected)  # labels may keep coming
            stride = 4 if stride <= 4 else (stride + 7) // 8 * 8  # whole vectors
            block = lines(NULL, &v, 0, self.room * stride * sizeof(double))
            try:
                b = <double*> resize(NULL, 0, stride * sizeof(double))
            except MemoryError:
                release(block)
                raise
            for i in range(self.rows):
                memcpy(v + i * stride, self.v + i * self.stride, self.k * sizeof(double))
            memcpy(b, self.b, self.k * sizeof(double))
            release(self.block)
            release(self.b)
            self.block, self.v, self.b, self.stride = block, v, b, stride
        if k < self.k:
            for i in range(self.rows):
                memset(self.v + i * self.stride + k, 0, (self.k - k) * sizeof(double))
            memset(self.b + k, 0, (self.k - k) * sizeof(double))
        self.k = k
        return 0

    cdef Weights copy(self):
        cdef Weights other = Weights(1, self.intercept)
        if self.k > 1:
            other.set_columns(self.k)
        other.reserve(self.rows)
        cdef Py_ssize_t i
        for i in range(self.rows):
            memcpy(other.v + i * other.stride, self.v + i * self.stride, self.k * sizeof(double))
        memcpy(other.b, self.b, self.k * sizeof(double))
        other.scale, other.bound, other.appended = self.scale, self.bound, self.appended
        return other

    cdef Weights split(self, double part):
        """From one column for two labels to a column each: part * w for the first, -part * w for
        the second. With |part| = 1/2 every score difference stays."""
        cdef Weights other = Weights(1, self.intercept)
        cdef Py_ssize_t i
        other.expected = self.expected
        other.set_columns(3)  # the third is about to come
        other.reserve(self.rows)
        for i in range(self.rows):
            other.v[i * other.stride] = part * self.v[i] + 0.0  # + 0.0: no feature weighs -0.0
            other.v[i * other.stride + 1] = -part * self.v[i] + 0.0
        other.b[0], other.b[1] = part * self.b[0] + 0.0, -part * self.b[0] + 0.0
        other.scale, other.bound, other.appended = self.scale, self.bound, self.appended
        return other

    cdef double measure(self) noexcept nogil:
        """Make `bound` exact."""
        cdef double low = onstream_peak(self.v, self.rows * self.stride)
        cdef double high = onstream_peak(self.b, self.k)
        self.bound = max(low, high)
        return self.bound

    def memory(self):
        return (self.room * self.stride + self.stride) * sizeof(double) + LINE

    def export(self, Py_ssize_t rows):
        """Copies for a file: what the numbers are, not where they stand."""
        matrix, bias = np.zeros((rows, self.k)), np.zeros(self.k)
        cdef double* out = doubles(matrix)
        cdef double* intercepts = doubles(bias)
        cdef Py_ssize_t i, r
        for i in range(min(rows, self.rows)):
            for r in range(self.k):
                out[i * self.k + r] = self.v[i * self.stride + r]
        for r in range(self.k):
            intercepts[r] = self.b[r]
        return {"weights": matrix, "bias": bias, "scale": self.scale}

    def restore(self, matrix, bias, double scale):
        """Numbers from a file; the caller has checked their shapes."""
        matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        bias = np.ascontiguousarray(bias, dtype=np.float64)
        cdef const double* given = doubles(matrix)
        cdef const double* intercepts = doubles(bias)
        cdef Py_ssize_t i, r, rows = matrix.shape[0], k = matrix.shape[1]
        self.set_columns(k)
        self.reserve(rows)
        for i in range(rows):
            for r in range(k):
                self.v[i * self.stride + r] = given[i * k + r]
        for r in range(k):
            self.b[r] = intercepts[r]
        self.scale = scale
        self.measure()


cdef void* lines(void* block, double** v, size_t old, size_t new) except NULL:
    """`block` for `old` bytes from v[0] on, made to hold `new`; v[0] begins a cache line."""
    cdef size_t before = <char*> v[0] - <char*> block if old else 0, after
    cdef void* moved = resize(block, old + LINE if old else 0, new + LINE)
    after = LINE - 1 - (<size_t> moved + LINE - 1) % LINE
    if after != before and old:  # it was moved to another place in a line
        memmove(<char*> moved + after, <char*> moved + before, old)
        if before > after:
            memset(<char*> moved + after + old, 0, before - after)
    v[0] = <double*> (<char*> moved + after)
    return moved


cdef double careful_score(Weights w, const Example* e, Py_ssize_t r) noexcept nogil:
    """The same with everything made smaller first: no step can overflow, only the result."""
    cdef double total = 0.0
    cdef Py_ssize_t i, id
    for i in range(e.n):
        id = feature(e, i)
        total += ldexp(e.values[i], -SAFE_SHIFT) * ldexp(w.v[id * w.stride + r], -SAFE_SHIFT)
    total = ldexp(w.scale * total, 2 * SAFE_SHIFT) + w.b[r]
    return min(max(total, -DBL_MAX), DBL_MAX)


cdef bint fits_measured(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """The same with the numbers as they are now, not as large as they may have become."""
    cdef double bound = fabs(factor) * w.measure() + fabs(step) * max(onstream_peak(e.values, e.n), 1.0)
    if not bound < SAFE:
        return False
    w.bound = bound
    return True


cdef int shrink(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """The same by the scale, or, when that comes too close to 0, by the numbers themselves."""
    cdef double scale = w.scale * factor
    cdef Py_ssize_t i
    if factor == 1.0 or 1e-9 < fabs(scale) <= 1.0:
        if not fits(w, e, step / scale, max(1.0, fabs(factor))):
            return OVERFLOW
        w.scale = scale
    else:
        if not fits(w, e, step, max(1.0, fabs(scale))):
            return OVERFLOW
        for i in range(w.rows * w.stride):
            w.v[i] *= scale
        w.scale = 1.0
    if w.appended and factor != 1.0:
        for i in range(w.k):
            w.b[i] *= factor
    return LEARNED
