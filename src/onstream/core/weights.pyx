"""Weights of linear models: a growing matrix, one row per feature, one column per output."""

from libc.math cimport fabs
from libc.string cimport memcpy, memmove, memset

import numpy as np

from .arrays cimport fill, floats, matrix
from .example cimport LEARNED, OVERFLOW, SAFE, Example, feature, onstream_peak
from .memory cimport release, resize, roomier


cdef enum:
    LINE = 64  # bytes of a cache line: weights are aligned to it


cdef extern from "simd.h":
    void onstream_small_pages(void* block, size_t bytes)


cdef class Weights:
    def __cinit__(self, Py_ssize_t k, bint intercept):
        self.k = self.stride = k
        self.intercept = intercept
        self.scale = 1.0
        self.b = <double*> resize(NULL, 0, k * sizeof(double))

    def __dealloc__(self):
        release(self.block)
        release(self.b)

    cdef int reserve(self, Py_ssize_t rows) except -1:
        """Make room for features 0 ... rows-1; weights of new ones are zero."""
        cdef Py_ssize_t room, item = self.stride * sizeof(double)
        if rows > self.room:
            room = rows if self.room == 0 else roomier(self.room, rows)
            self.block = lines(self.block, &self.v, self.room * item, room * item)
            self.room = room
        if rows > self.rows:
            self.rows = rows
        return 0

    cdef int set_columns(self, Py_ssize_t k) except -1:
        """Use k columns; added ones are zero."""
        cdef Py_ssize_t stride, i, used = 0
        cdef void* block
        cdef double* v = NULL
        cdef double* b
        if k > self.stride:
            stride = max(k + k // 2 if self.room else k, self.expected)  # more labels may come
            stride = 4 if stride <= 4 else (stride + 7) // 8 * 8  # whole vector registers
            block = lines(NULL, &v, 0, self.room * stride * sizeof(double))
            for i in range(self.rows):
                used += not only_zeros(self.v + i * self.stride, self.k)
            if used < self.rows // 16:  # of a hash with slots to spare
                onstream_small_pages(block, self.room * stride * sizeof(double))
            try:
                b = <double*> resize(NULL, 0, stride * sizeof(double))
            except MemoryError:
                release(block)
                raise
            for i in range(self.rows):  # pages that are never written take no memory
                if not only_zeros(self.v + i * self.stride, self.k):
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

    cdef Weights split(self, double part):
        """From one column for two labels to a column for each: part * w for the first, -part * w for
        the second. With |part| = 1/2 all score differences stay the same."""
        cdef Weights other = Weights(1, self.intercept)
        cdef Py_ssize_t i
        other.expected = self.expected
        other.set_columns(3)  # room for the third, which is about to come
        other.reserve(self.rows)
        for i in range(self.rows):
            other.v[i * other.stride] = part * self.v[i] + 0.0  # + 0.0 turns -0.0 into 0.0
            other.v[i * other.stride + 1] = -part * self.v[i] + 0.0
        other.b[0], other.b[1] = part * self.b[0] + 0.0, -part * self.b[0] + 0.0
        other.scale, other.bound, other.appended = self.scale, self.bound, self.appended
        return other

    cdef double measure(self) noexcept nogil:
        """Set `bound` to the largest |v| or |b|, and return it."""
        cdef double low = onstream_peak(self.v, self.rows * self.stride)
        cdef double high = onstream_peak(self.b, self.k)
        self.bound = max(low, high)
        return self.bound

    def memory(self):
        return (self.room * self.stride + self.stride) * sizeof(double) + LINE

    def export(self, Py_ssize_t rows):
        """Copies of the first `rows` rows, the intercepts and the scale, for a file."""
        weights = np.zeros((rows, self.k))
        known = min(rows, self.rows)
        weights[:known] = matrix(self.v, known, self.k, self.stride)
        return {"weights": weights, "bias": floats(self.b, self.k), "scale": self.scale}

    def restore(self, weights, bias, double scale):
        """Take numbers from a file; the caller has checked their shapes."""
        rows, columns = weights.shape
        self.set_columns(columns)
        self.reserve(rows)
        fill(self.v, weights, self.stride)
        fill(self.b, bias)
        self.scale = scale
        self.measure()


cdef void* lines(void* block, double** v, size_t old, size_t new) except NULL:
    """Resize `block`, which holds `old` bytes from v[0] on, to `new` bytes. Aligns v[0] to a cache line."""
    cdef size_t before = <char*> v[0] - <char*> block if old else 0, after
    cdef void* moved = resize(block, old + LINE if old else 0, new + LINE)
    after = LINE - 1 - (<size_t> moved + LINE - 1) % LINE
    if after != before and old:  # the alignment of the new block differs
        memmove(<char*> moved + after, <char*> moved + before, old)
        if before > after:
            memset(<char*> moved + after + old, 0, before - after)
    v[0] = <double*> (<char*> moved + after)
    return moved


cdef bint only_zeros(const double* v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if v[i] != 0.0:
            return False
    return True


cdef double careful_score(Weights w, const Example* e, Py_ssize_t r) noexcept nogil:
    """Score of column r with all factors scaled down first: only the result can overflow."""
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(e.n):
        total += small_product(e.values[i], w.v[feature(e, i) * w.stride + r])
    return finite_score(w.scale * total, w.b[r])


cdef bint fits_measured(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """`fits` with exact maxima instead of upper bounds."""
    cdef double bound = fabs(factor) * w.measure() + fabs(step) * max(onstream_peak(e.values, e.n), 1.0)
    if not bound < SAFE:
        return False
    w.bound = bound
    return True


cdef int shrink(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """`rescale` by the scale or, when that comes too close to 0, by the numbers themselves."""
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
