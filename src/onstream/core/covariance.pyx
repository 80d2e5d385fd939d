"""The matrix P of recursive least squares: P -= c (P x)(P x)' for each example x.

Features may appear at any time; a new row is what it would be had its feature been 0 so far.
"""

from libc.float cimport DBL_MAX
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from .arrays cimport fill, matrix
from .example cimport (
    SAFE,
    Example,
    feature,
    onstream_axpy,
    onstream_dot,
    onstream_gather_dot,
    onstream_peak,
)
from .memory cimport release, resize, roomier


cdef double LITTLE = 1e-7  # share of x'P x: if a step leaves less, the rest is mostly rounding error
cdef double SLACK = 2.0 ** -46  # bound of the relative rounding error of a variance in such a step


cdef class Covariance:
    def __cinit__(self, bint intercept):
        self.offset = intercept
        self.kept = 1.0

    def __dealloc__(self):
        release(self.P)
        release(self.u)
        release(self.g)

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Room for features 0 ... width-1."""
        cdef Py_ssize_t room, needed = width + self.offset, old = self.room * sizeof(double), i
        cdef double* P
        if needed <= self.room:
            return 0
        room = needed if self.room == 0 else roomier(self.room, needed)
        self.u = <double*> resize(self.u, old, room * sizeof(double))
        self.g = <double*> resize(self.g, old, room * sizeof(double))
        P = <double*> resize(NULL, 0, room * room * sizeof(double))
        for i in range(self.d):
            memcpy(P + i * room, self.P + i * self.room, self.d * sizeof(double))
        release(self.P)
        self.P, self.room = P, room
        return 0

    cdef void extend(self, Py_ssize_t d, double fresh) noexcept nogil:
        """Use d rows; new ones get the variance `fresh`. With a smaller d, drop the last ones again."""
        while self.d < d:
            self.P[self.d * self.room + self.d] = fresh
            self.d += 1
        while self.d > d:
            self.d -= 1
            self.P[self.d * self.room + self.d] = 0.0

    cdef bint is_new_row(self, Py_ssize_t i, double fresh) noexcept nogil:
        """Is row i what `extend` would add now?"""
        cdef Py_ssize_t j
        cdef const double* row = self.P + i * self.room
        if row[i] != fresh:
            return False
        for j in range(self.d):
            if row[j] != 0.0 and j != i:
                return False
        return True

    cdef double along(self, const Example* e, const double* v) noexcept nogil:
        """v.x, including the intercept."""
        cdef double sum
        if e.ids == NULL:
            sum = onstream_dot(v + self.offset, e.values, e.n)
        else:
            sum = onstream_gather_dot(v + self.offset, e.ids, e.values, e.n)
        return sum + (v[0] if self.offset else 0.0)

    cdef double multiply(self, const Example* e) noexcept nogil:
        """Set u = P x, as a sum of rows of the symmetric P; return x'P x."""
        cdef Py_ssize_t i, id
        cdef double xu
        for i in range(self.d):
            self.u[i] = self.P[i] if self.offset else 0.0
        for i in range(e.n):
            id = feature(e, i) + self.offset
            onstream_axpy(self.u, self.P + id * self.room, e.values[i], self.d)
        xu = self.along(e, self.u)
        self.rounded = xu < 0.0  # possible only by rounding
        return max(xu, 0.0)

    cdef double gain(self, double xu, double mu, double weight) noexcept nogil:
        """Return c = w / (mu + w x'P x); set kept = mu / (mu + w x'P x)."""
        if not mu + weight * xu <= DBL_MAX:  # overflow: divide both by w
            mu, weight = mu / weight, 1.0
        self.kept = mu / (mu + weight * xu)
        return weight / (mu + weight * xu)

    cdef double spread(self, const Example* e) noexcept nogil:
        """x'P x without setting u."""
        cdef Py_ssize_t i, id
        cdef double sum = 0.0
        for i in range(e.n):
            id = feature(e, i) + self.offset
            sum += e.values[i] * self.along(e, self.P + id * self.room)
        return sum + (self.along(e, self.P) if self.offset else 0.0)

    cdef bint can_shrink(self, double xu, double c, double step, double bound) noexcept nogil:
        """Do P - c u u', and weights up to `bound` plus step * u, stay below SAFE? Sets `rounded`."""
        cdef Py_ssize_t i
        cdef double lost, biggest = onstream_peak(self.u, self.d)
        if not (xu < SAFE and biggest < SAFE and c * biggest < SAFE
                and bound + fabs(step) * biggest < SAFE):
            return False
        for i in range(self.d):  # a variance can lose more than it has only by rounding
            lost = c * self.u[i] * self.u[i]
            if not lost <= 2.0 * self.P[i * self.room + i]:
                return False
            self.rounded |= self.P[i * self.room + i] <= lost
        self.rounded |= self.kept < LITTLE  # x'P x loses the largest share of all variances
        return True

    cdef void shrink(self, double c) noexcept nogil:
        """P -= c u u', as g g' with g = sqrt(c) u: so both triangles get the same bits."""
        cdef Py_ssize_t i
        cdef double root = sqrt(c)
        for i in range(self.d):
            self.g[i] = root * self.u[i]
        for i in range(self.d):
            onstream_axpy(self.P + i * self.room, self.g, -self.g[i], self.d)

    cdef void shrink_safely(self, const Example* e, double c) noexcept nogil:
        """The same in Joseph's form, which stays positive in spite of rounding, then symmetrised:
        P = (I - g x') P (I - g x')' + kept u g', where kept u = (mu / w) g overflows for no w."""
        cdef Py_ssize_t i, j
        cdef double v
        cdef double* row
        for i in range(self.d):
            self.g[i] = c * self.u[i]
        for i in range(self.d):
            row = self.P + i * self.room
            onstream_axpy(row, self.u, -self.g[i], self.d)  # (I - g x') P
            v = self.along(e, row)
            onstream_axpy(row, self.g, self.kept * self.u[i] - v, self.d)
        for i in range(self.d):
            for j in range(i):
                v = 0.5 * (self.P[i * self.room + j] + self.P[j * self.room + i])
                self.P[i * self.room + j] = self.P[j * self.room + i] = v
        if self.rounded:  # make up for rounding errors: variances must stay positive
            for i in range(self.d):
                if self.u[i] != 0.0:
                    self.P[i * self.room + i] *= 1.0 + SLACK

    def export(self):
        """The d x d matrix as an array."""
        return matrix(self.P, self.d, self.d, self.room)

    def restore(self, P):
        """Take P from a file; there is room for it."""
        if not np.array_equal(P, P.T):
            raise ValueError("P is not symmetric")
        self.extend(len(P), 0.0)
        fill(self.P, P, self.room)

    def memory(self):
        from sys import getsizeof

        return getsizeof(self) + (self.room + 2) * self.room * sizeof(double)
