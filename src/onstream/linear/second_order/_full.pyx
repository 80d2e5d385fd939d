"""Second-order learners with a covariance of all weights."""

from libc.math cimport sqrt
from libc.string cimport memcpy, memset

import numpy as np

from ...core.arrays cimport doubles
from ...core.example cimport (
    LEARNED, OVERFLOW, SAFE, Example, feature, onstream_axpy, onstream_dot, onstream_gather_dot,
    onstream_peak,
)
from ...core.memory cimport release, resize, roomier
from ...core.scores cimport margin
from ...core.widths import too_wide
from .rules cimport Rule, Step, find_step, make_rule
from .._state cimport LinearClassifierState


cdef class FullState(LinearClassifierState):
    cdef Rule rule
    cdef double a                # variance of a weight at the start
    cdef Py_ssize_t most         # features it takes; 0: any number
    cdef Py_ssize_t offset       # 1 if there is an intercept: it stands first in Sigma
    cdef Py_ssize_t d            # rows of Sigma in use
    cdef Py_ssize_t room         # rows that fit
    cdef Py_ssize_t blocks       # labels that fit
    cdef double* S               # Sigma of each label, room x room, symmetric
    cdef double* S_before        # of two labels, until the third is committed
    cdef Py_ssize_t room_before
    cdef Py_ssize_t d_before
    cdef double* g               # Sigma x of the label, then of the best-scored wrong one
    cdef double* h               # g scaled

    def __cinit__(self, bint intercept, str rule, double parameter, double C, double a, Py_ssize_t most):
        self.rule = make_rule(rule, parameter, C)
        self.a, self.most = a, most
        self.offset = intercept
        self.blocks = 1

    def __dealloc__(self):
        release(self.S)
        release(self.S_before)
        release(self.g)
        release(self.h)

    cdef double fresh(self) noexcept nogil:
        """Variance of a weight that has not learned anything."""
        return self.a if self.w.k == 1 else 0.5 * self.a

    cdef double* block(self, Py_ssize_t r) noexcept nogil:
        return self.S + r * self.room * self.room

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t needed = width + self.offset, room, r, i
        cdef double* S
        if 0 < self.most < width:
            raise too_wide(self.who, width, self.most, self.features)
        LinearClassifierState.reserve(self, width)
        if needed > self.room:
            room = needed if self.room == 0 else roomier(self.room, needed)
            self.g = <double*> resize(self.g, 0, 2 * room * sizeof(double))
            self.h = <double*> resize(self.h, 0, room * sizeof(double))
            S = <double*> resize(NULL, 0, self.blocks * room * room * sizeof(double))
            for r in range(self.w.k):
                for i in range(self.d):
                    memcpy(S + (r * room + i) * room, self.block(r) + i * self.room, self.d * sizeof(double))
            release(self.S)
            self.S, self.room = S, room
        for r in range(self.w.k):
            for i in range(self.d, needed):
                self.block(r)[i * self.room + i] = self.fresh()
        self.d = max(self.d, needed)
        return 0

    cdef int set_labels(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t k = self.w.k, size = self.room * self.room, r, i, blocks
        cdef double* S
        LinearClassifierState.set_labels(self, n)
        if n > 2 and self.blocks == 1:
            S = <double*> resize(NULL, 0, 3 * size * sizeof(double))
            for i in range(size):
                S[i] = S[size + i] = 0.5 * self.S[i]
            self.S_before, self.room_before, self.d_before = self.S, self.room, self.d
            self.S, self.blocks, k = S, 3, 2
        elif n == 2 and self.S_before != NULL:
            release(self.S)
            self.S, self.room, self.d, self.blocks = self.S_before, self.room_before, self.d_before, 1
            self.S_before = NULL
        if n > self.blocks and n > 2:
            blocks = n + n // 4
            self.S = <double*> resize(self.S, self.blocks * size * sizeof(double), blocks * size * sizeof(double))
            self.blocks = blocks
        for r in range(k if n > 2 else n, n):
            memset(self.block(r), 0, size * sizeof(double))
            for i in range(self.d):
                self.block(r)[i * self.room + i] = self.fresh()
        return 0

    cdef int commit_label(self) except -1:
        release(self.S_before)
        self.S_before = NULL
        return LinearClassifierState.commit_label(self)

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return -1  # Sigma is large, and its update costs far more than reading X again

    cdef double multiply(self, const Example* e, Py_ssize_t r, double* g) noexcept nogil:
        """g = Sigma x of label r. Returns x.g."""
        cdef double* S = self.block(r)
        cdef Py_ssize_t i
        cdef double v
        memset(g, 0, self.d * sizeof(double))
        if self.offset:
            memcpy(g, S, self.d * sizeof(double))
        for i in range(e.n):
            if e.values[i] != 0.0:
                onstream_axpy(g, S + (feature(e, i) + self.offset) * self.room, e.values[i], self.d)
        if e.ids == NULL:
            v = onstream_dot(g + self.offset, e.values, e.n)
        else:
            v = onstream_gather_dot(g + self.offset, e.ids, e.values, e.n)
        return v + g[0] if self.offset else v

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Step step
        cdef double m, v, peak
        cdef double* wrong_g = self.g + self.room
        cdef int q = 0
        # Margin and its variance; with more labels over the best-scored wrong one.
        m = margin(e, f, self.w.k, &q)
        if self.w.k == 1:
            v = self.multiply(e, 0, self.g)
            peak = onstream_peak(self.g, self.d)
        else:
            v = self.multiply(e, e.label, self.g) + self.multiply(e, q, wrong_g)
            peak = max(onstream_peak(self.g, self.d), onstream_peak(wrong_g, self.d))
        if not (v < SAFE and peak < SAFE):
            return OVERFLOW
        if not find_step(&self.rule, m, v, e.weight, &step):
            return LEARNED
        if not (step.alpha < SAFE and step.beta < SAFE and step.alpha * peak < SAFE
                and self.w.measure() + step.alpha * peak < SAFE):
            return OVERFLOW
        if self.w.k == 1:
            self.move(0, self.g, e.y * step.alpha, step.beta)
        else:
            self.move(e.label, self.g, step.alpha, step.beta)
            self.move(q, wrong_g, -step.alpha, step.beta)
        return LEARNED

    cdef void move(self, Py_ssize_t r, const double* g, double alpha, double beta) noexcept nogil:
        """w += alpha g, Sigma -= beta g g', for label r."""
        cdef double* S = self.block(r)
        cdef double* w = self.w.v + r
        cdef double* b = self.w.b + r
        cdef double root = sqrt(beta)
        cdef bint positive = True
        cdef Py_ssize_t i
        for i in range(self.d - self.offset):
            w[i * self.w.stride] += alpha * g[i + self.offset]
        if self.offset:
            b[0] += alpha * g[0]
        for i in range(self.d):  # with h = sqrt(beta) g both triangles get the same bits
            self.h[i] = root * g[i]
            positive &= S[i * self.room + i] - self.h[i] * self.h[i] > 0.0
        if positive:  # otherwise only rounding is left of a variance: Sigma stays as it is
            for i in range(self.d):
                onstream_axpy(S + i * self.room, self.h, -self.h[i], self.d)

    def export_own(self):
        cdef Py_ssize_t d = self.features.width + self.offset, r, i, k = self.w.k
        self.reserve(self.features.width)
        matrix = np.empty((k, d, d))
        cdef double* out = doubles(matrix)
        for r in range(k):
            for i in range(d):
                memcpy(out + (r * d + i) * d, self.block(r) + i * self.room, d * sizeof(double))
        return {**LinearClassifierState.export_own(self), "Sigma": matrix}

    def restore_own(self, fields):
        cdef Py_ssize_t d, k, r, i
        cdef const double* given
        LinearClassifierState.restore_own(self, fields)
        d, k = self.features.width + self.offset, self.w.k
        matrix = np.ascontiguousarray(fields.array("Sigma", (k, d, d)))
        if not np.array_equal(matrix, matrix.transpose(0, 2, 1)):
            raise ValueError("Sigma is not symmetric")
        if not (np.diagonal(matrix, axis1=1, axis2=2) > 0.0).all():
            raise ValueError("Sigma has a variance that is not positive")
        self.reserve(self.features.width)
        given = doubles(matrix)
        for r in range(k):
            for i in range(d):
                memcpy(self.block(r) + i * self.room, given + (r * d + i) * d, d * sizeof(double))

    def memory(self):
        held = (self.blocks * self.room + 3) * self.room * sizeof(double)
        return LinearClassifierState.memory(self) + held
