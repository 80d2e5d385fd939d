"""Weights that follow from sums of gradients: FTRL-proximal (McMahan et al., KDD 2013) and
regularised dual averaging (Xiao, JMLR 11, 2010).

Features that an example does not have are left alone: an update costs O(non-zeros), however strong
the regularisation.
"""

from libc.float cimport DBL_MAX
from libc.math cimport copysign, fabs, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

import numpy as np

from ...core.arrays cimport doubles
from ...core.example cimport LEARNED, OVERFLOW, SAFE, Example, feature, onstream_peak
from ...core.memory cimport release, resize, roomier
from ...core.weights cimport Weights, add, add_columns, only_zeros
from ._optimizer cimport Optimizer


cdef extern from "simd.h":
    void onstream_small_pages(void* block, size_t bytes)

cdef extern from "steps.h" nogil:
    void onstream_sum_on(
        double* sums, const double* v, const double* x, Py_ssize_t m, Py_ssize_t k)
    void onstream_leaders(double* w, const double* g, double most, double divisor, Py_ssize_t n)

    ctypedef struct Cell "onstream_cell":  # all that belongs to a weight, on one cache line
        double w     # the weight
        double z     # sum of gradients, corrected for the weights they were taken at
        double n     # sum of their squares
        double root  # its square root

    void onstream_follow(
        Cell* cells, const double* x, const double* slopes, double alpha, double beta, double l1,
        double l2, Py_ssize_t m, Py_ssize_t k)
    void onstream_cell_weights(double* w, const Cell* cells, Py_ssize_t n)


cdef enum:
    TILE = 512  # weights of a dense row that are handled at once

cdef double HARMLESS = 1e50  # no smaller gradient can overflow, whatever the state


cdef class FTRLOptimizer(Optimizer):
    cdef double alpha
    cdef double beta
    cdef double l1
    cdef double l2
    cdef Cell* cells         # of feature i and column r: i * stride + r
    cdef Cell* biases        # of the intercepts
    cdef Py_ssize_t room     # features that fit
    cdef Py_ssize_t stride   # columns that fit

    def __cinit__(self, bint intercept, double alpha, double beta, double l1, double l2):
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        self.stride = 1
        self.biases = <Cell*> resize(NULL, 0, sizeof(Cell))

    def __dealloc__(self):
        release(self.cells)
        release(self.biases)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, item = self.stride * sizeof(Cell)
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            self.cells = <Cell*> resize(self.cells, self.room * item, room * item)
            self.room = room
        return 0

    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1:
        cdef Py_ssize_t stride, i, used = 0
        cdef Cell* cells
        if k > self.stride:
            stride = max(k + k // 4 if self.room else k, expected)  # labels may keep coming
            self.biases = <Cell*> resize(self.biases, self.stride * sizeof(Cell), stride * sizeof(Cell))
            cells = <Cell*> resize(NULL, 0, self.room * stride * sizeof(Cell))
            for i in range(self.room):
                used += not self.is_new(i)
            if used < self.room // 16:  # of a hash with slots to spare
                onstream_small_pages(cells, self.room * stride * sizeof(Cell))
            for i in range(self.room):  # pages that are never written take no memory
                if not self.is_new(i):
                    memcpy(cells + i * stride, self.cells + i * self.stride, self.k * sizeof(Cell))
            release(self.cells)
            self.cells, self.stride = cells, stride
        if k < self.k:
            for i in range(self.room):
                if not self.is_new(i):
                    memset(self.cells + i * self.stride + k, 0, (self.k - k) * sizeof(Cell))
            memset(self.biases + k, 0, (self.k - k) * sizeof(Cell))
        self.k = k
        return 0

    cdef bint is_new(self, Py_ssize_t i) noexcept nogil:
        """Has feature i not been learned with any label?"""
        return only_zeros(<const double*> (self.cells + i * self.stride), self.k * (sizeof(Cell) // 8))

    cdef Optimizer promoted(self, double part):
        cdef FTRLOptimizer other = FTRLOptimizer(self.intercept, self.alpha, self.beta, self.l1, self.l2)
        cdef Py_ssize_t i
        other.set_columns(3, 0)
        other.reserve(self.room)
        for i in range(self.room):
            split_cell(self.cells + i, other.cells + i * other.stride, part)
        split_cell(self.biases, other.biases, part)
        return other

    cdef double weight(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        return self.cells[i * self.stride + r].w

    cdef double bias(self, Py_ssize_t r) noexcept nogil:
        return self.biases[r].w

    cdef void training_scores(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t i, r
        cdef const Cell* row
        cdef bint good = True
        if self.k == 1:
            out[0] = product(self.cells, e) + self.biases[0].w
            good = fabs(out[0]) <= DBL_MAX
        else:
            if e.ids == NULL and self.stride <= TILE:
                self.row_sums(e, out)
            else:
                for r in range(self.k):
                    out[r] = 0.0
                for i in range(e.n):
                    row = self.cells + feature(e, i) * self.stride
                    for r in range(self.k):
                        out[r] += e.values[i] * row[r].w
            for r in range(self.k):
                out[r] += self.biases[r].w
                good &= fabs(out[r]) <= DBL_MAX
        if not good:
            self.rescore_overflowed(e, out)

    cdef void row_sums(self, const Example* e, double* out) noexcept nogil:
        """Sums of values times weights, of a dense row."""
        cdef double[TILE] v, sums
        cdef Py_ssize_t at = 0, n
        memset(sums, 0, self.stride * sizeof(double))
        while at < e.n:
            n = min(TILE // self.stride, e.n - at)
            onstream_cell_weights(v, self.cells + at * self.stride, n * self.stride)
            onstream_sum_on(sums, v, e.values + at, n, self.stride)
            at += n
        memcpy(out, sums, self.k * sizeof(double))

    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil:
        cdef Py_ssize_t i, r
        cdef double[TILE] some
        cdef double size = onstream_peak(slopes, self.k)
        cdef Cell* row
        if size == 0.0:
            return LEARNED
        if not size * max(e.peak, 1.0) <= HARMLESS and not self.stays_in_range(e, slopes):
            return OVERFLOW
        if e.ids == NULL and self.stride <= TILE:
            memset(some, 0, self.stride * sizeof(double))  # of columns that nobody uses
            memcpy(some, slopes, self.k * sizeof(double))
            onstream_follow(
                self.cells, e.values, some, self.alpha, self.beta, self.l1, self.l2, e.n, self.stride)
        else:
            for i in range(e.n):
                row = self.cells + feature(e, i) * self.stride
                for r in range(self.k):
                    if slopes[r] != 0.0:
                        self.change(row + r, slopes[r] * e.values[i], self.l1, self.l2)
        if self.intercept:
            for r in range(self.k):
                self.change(self.biases + r, slopes[r], 0.0, 0.0)
        return LEARNED

    cdef inline void change(self, Cell* cell, double g, double l1, double l2) noexcept nogil:
        """Learn one gradient: z += g - sigma w, n += g^2, sigma = (sqrt(n + g^2) - sqrt(n)) / alpha."""
        cdef double n = cell.n + g * g, root
        if g == 0.0:
            return
        root = sqrt(n)
        cell.z += g - (root - cell.root) / self.alpha * cell.w
        cell.n, cell.root = n, root
        self.set_weight(cell, l1, l2)

    cdef inline void set_weight(self, Cell* cell, double l1, double l2) noexcept nogil:
        """The weight from its sums: exactly 0 where z stays within l1."""
        cell.w = 0.0
        if fabs(cell.z) > l1:
            cell.w = -(cell.z - copysign(l1, cell.z)) / ((self.beta + cell.root) / self.alpha + l2)

    cdef bint stays_in_range(self, const Example* e, const double* slopes) noexcept nogil:
        """Would every number stay in range? Tries the step on copies."""
        cdef Py_ssize_t i, r
        cdef Cell cell
        cdef bint good = True
        for i in range(e.n):
            for r in range(self.k):
                cell = self.cells[feature(e, i) * self.stride + r]
                self.change(&cell, slopes[r] * e.values[i], self.l1, self.l2)
                good &= fabs(cell.z) < SAFE and cell.n < SAFE and fabs(cell.w) < SAFE
        for r in range(self.k if self.intercept else 0):
            cell = self.biases[r]
            self.change(&cell, slopes[r], 0.0, 0.0)
            good &= fabs(cell.z) < SAFE and cell.n < SAFE and fabs(cell.w) < SAFE
        return good

    def export(self, Py_ssize_t width):
        cdef Py_ssize_t i, r, k = self.k
        self.reserve(width)
        z, n = np.empty((width + 1, k)), np.empty((width + 1, k))
        cdef double* zs = doubles(z)
        cdef double* ns = doubles(n)
        cdef Cell* cell
        for i in range(width + 1):
            for r in range(k):
                cell = self.cells + i * self.stride + r if i < width else self.biases + r
                zs[i * k + r], ns[i * k + r] = cell.z, cell.n
        return {
            "z": z[:width].copy(), "n": n[:width].copy(),
            "bias_z": z[width].copy(), "bias_n": n[width].copy(),
        }

    def restore(self, fields, Py_ssize_t width, Py_ssize_t k):
        cdef Py_ssize_t i, r
        cdef Cell* cell
        z = np.vstack([fields.array("z", (width, k)), fields.array("bias_z", (k,))])
        n = np.vstack([fields.array("n", (width, k)), fields.array("bias_n", (k,))])
        if (n < 0.0).any():
            raise ValueError("n holds a negative sum of squares")
        if (np.abs(z) > 1e200).any():  # one more gradient could leave the range of floats
            raise ValueError("z holds a sum that cannot be")
        if not self.intercept and (z[width].any() or n[width].any()):
            raise ValueError("there is a bias without an intercept")
        cdef double* zs = doubles(z)
        cdef double* ns = doubles(n)
        self.reserve(width)
        self.set_columns(k, k)
        for i in range(width + 1):
            for r in range(k):
                cell = self.cells + i * self.stride + r if i < width else self.biases + r
                cell.z, cell.n, cell.root = zs[i * k + r], ns[i * k + r], sqrt(ns[i * k + r])
                self.set_weight(cell, self.l1 if i < width else 0.0, self.l2 if i < width else 0.0)

    def memory(self):
        return (self.room + 1) * self.stride * sizeof(Cell)


cdef inline double at(const Cell* cells, const Example* e, Py_ssize_t i) noexcept nogil:
    return cells[feature(e, i)].w * e.values[i]


cdef double product(const Cell* cells, const Example* e) noexcept nogil:
    """w.x in four partial sums."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t i = 0
    while i + 4 <= e.n:
        s0 += at(cells, e, i)
        s1 += at(cells, e, i + 1)
        s2 += at(cells, e, i + 2)
        s3 += at(cells, e, i + 3)
        i += 4
    while i < e.n:
        s0 += at(cells, e, i)
        i += 1
    return (s0 + s1) + (s2 + s3)


cdef void split_cell(const Cell* cell, Cell* pair, double part) noexcept nogil:
    """A cell for each of two labels: signed sums change their sign for the second, squares do not."""
    pair[0] = pair[1] = cell[0]
    pair[0].w, pair[0].z = part * cell.w + 0.0, part * cell.z + 0.0
    pair[1].w, pair[1].z = -part * cell.w + 0.0, -part * cell.z + 0.0


cdef class RDAOptimizer(Optimizer):
    cdef double gamma
    cdef double l1
    cdef Weights g      # sums of gradients
    cdef double t       # how many

    def __cinit__(self, bint intercept, double gamma, double l1):
        self.gamma, self.l1 = gamma, l1
        self.g = Weights(1, intercept)

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.g.reserve(width)

    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1:
        self.g.expected = expected
        self.g.set_columns(k)
        self.k = k
        return 0

    cdef Optimizer promoted(self, double part):
        cdef RDAOptimizer other = RDAOptimizer(self.intercept, self.gamma, self.l1)
        other.g = self.g.split(part)
        other.k = other.g.k
        other.t = self.t
        return other

    cdef double weight(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        return self.leader(self.g.v[i * self.g.stride + r], self.l1)

    cdef double bias(self, Py_ssize_t r) noexcept nogil:
        return self.leader(self.g.b[r], 0.0)

    cdef inline double leader(self, double g, double l1) noexcept nogil:
        """The weight from its sum g of t gradients: -(sqrt(t) / gamma) S(g / t, l1)."""
        cdef double left = fabs(g) - l1 * self.t
        if not left > 0.0:
            return 0.0
        return (-left if g > 0.0 else left) / (self.gamma * sqrt(self.t))

    cdef void training_scores(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t i, r
        cdef const double* row
        cdef bint good = True
        if e.ids == NULL and self.g.stride <= TILE:
            self.row_sums(e, out)
        else:
            for r in range(self.k):
                out[r] = 0.0
            for i in range(e.n):
                row = self.g.v + feature(e, i) * self.g.stride
                for r in range(self.k):
                    out[r] += e.values[i] * self.leader(row[r], self.l1)
        for r in range(self.k):
            out[r] += self.bias(r)
            good &= fabs(out[r]) <= DBL_MAX
        if not good:
            self.rescore_overflowed(e, out)

    cdef void row_sums(self, const Example* e, double* out) noexcept nogil:
        """Sums of values times weights, of a dense row."""
        cdef double[TILE] v, sums
        cdef Py_ssize_t at = 0, n, k = self.g.stride
        memset(sums, 0, k * sizeof(double))
        while at < e.n:
            n = min(TILE // k, e.n - at)
            onstream_leaders(
                v, self.g.v + at * k, self.l1 * self.t, self.gamma * sqrt(self.t), n * k)
            onstream_sum_on(sums, v, e.values + at, n, k)
            at += n
        memcpy(out, sums, self.k * sizeof(double))

    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil:
        """g += slope x, t += 1: the weights follow from these sums."""
        cdef int status
        if self.k == 1:
            status = add(self.g, e, slopes[0], 1.0)
        else:
            status = add_columns(self.g, e, slopes, 1.0)
        if status == LEARNED:
            self.t += 1.0
        return status

    def export(self, Py_ssize_t width):
        sums = self.g.export(width)
        return {"gradients": sums["weights"], "bias_gradients": sums["bias"], "t": self.t}

    def restore(self, fields, Py_ssize_t width, Py_ssize_t k):
        sums = fields.array("gradients", (width, k))
        bias = fields.array("bias_gradients", (k,))
        if not self.intercept and bias.any():
            raise ValueError("there is a bias without an intercept")
        self.set_columns(k, k)
        self.g.restore(sums, bias, 1.0)
        self.t = fields.number("t", 0.0, 2.0**62)
        if self.t != int(self.t) or (self.t == 0.0 and (sums.any() or bias.any())):
            raise ValueError(f"t is {self.t}, expected the number of examples behind the gradients")

    def memory(self):
        return self.g.memory()
