"""Budgeted PA (Wang & Vucetic, AISTATS 2010): PA-I steps; full: the support r goes whose removal
changes f least, and others take over from it: the new one alone (BPA-S), it and the nearest (BPA-NN),
or all (BPA-P)."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int64_t

import numpy as np

from ...core.arrays cimport fill, matrix
from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example, onstream_axpy, onstream_dot
from ...core.memory cimport release
from .._supports cimport CompiledKernel, grown, widened
from ._one_vs_rest cimport BudgetMachine
from ._projectron cimport Inverse

cdef double JITTER = 1e-10  # the diagonal of a Gram matrix is raised by this much,
cdef double MOST_JITTER = 1e-5  # and by no more than this


cdef class BPASimple(BudgetMachine):
    """BPA-S: the new support takes over what it can."""

    cdef double C
    cdef bint allow_skip
    cdef Py_ssize_t slot   # planned: where the new support goes,
    cdef double share      # and what the new support takes over from the one that was there

    def __cinit__(self, CompiledKernel compiled, budget, double C, bint allow_skip, *args):
        self.C, self.allow_skip = C, allow_skip

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double loss = 1.0 - y * f, C = self.C * e.weight, tau, change
        if not (loss > 0.0 and self.self_k > 0.0):
            return LEARNED
        tau = min(C, loss / self.self_k)  # PA-I, whatever is removed
        self.tau = y * tau
        self.slot, self.share = self.s.n, 0.0
        if not self.make_room(e):
            return NO_MEMORY
        if self.s.n == self.budget:
            change = self.choose()
            if not change < SAFE:
                return OVERFLOW
            # Does f stay better than the best f' by |f' - f|^2 / 2 + C loss?
            change = 0.5 * (change + tau * tau * self.self_k) + C * (loss - tau * self.self_k)
            if self.allow_skip and C * loss < change:
                return LEARNED
        if not self.hand_over():
            return OVERFLOW
        self.pending = True
        return LEARNED

    cdef double choose(self) noexcept nogil:
        """Set `slot` and `share`: r = argmin a_r^2 (K_rr - k_r' K_V^-1 k_r), which is returned."""
        cdef Py_ssize_t r
        cdef double change, least = INFINITY
        for r in range(self.s.n):
            change = self.a[r] * self.a[r] * max(0.0, self.s.self_k[r] - self.row[r] * self.row[r] / self.self_k)
            if change < least:
                least, self.slot = change, r
        self.share = self.a[self.slot] * self.row[self.slot] / self.self_k
        return least

    cdef bint hand_over(self) noexcept nogil:
        """Plan the coefficients afterwards. False: one would be too large."""
        return fabs(self.tau + self.share) < SAFE

    cdef void commit(self, const Example* e) noexcept nogil:
        self.place(self.slot, e, self.tau + self.share)


cdef class BPANearest(BPASimple):
    """BPA-NN: the nearest support of the one that goes also takes over what it can."""

    cdef int64_t* nearest  # of each support; -1: none
    cdef double* near_k    # the kernel with it
    cdef double other_share

    def __dealloc__(self):
        release(self.nearest)
        release(self.near_k)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        if not (BudgetMachine.grow(self, supports, e) and grown(&self.near_k, old, self.room)):
            return False
        cdef double* nearest = <double*> self.nearest  # as long as an int64_t
        if not grown(&nearest, old, self.room):
            return False
        self.nearest = <int64_t*> nearest
        return True

    cdef double choose(self) noexcept nogil:
        cdef Py_ssize_t r, j
        cdef double change, least = INFINITY, one, two
        for r in range(self.s.n):
            change = self.a[r] * self.a[r] * max(0.0, self.residual(r, &one, &two))
            if change < least:
                least, self.slot = change, r
                self.share, self.other_share = self.a[r] * one, self.a[r] * two
        j = self.nearest[self.slot]
        if j >= 0 and not fabs(self.a[j] + self.other_share) < SAFE:
            return INFINITY
        return least

    cdef double residual(self, Py_ssize_t r, double* one, double* two) noexcept nogil:
        """Squared distance of support r from the span of the example and r's nearest support, and
        the coordinates of its projection: (K_V + jitter)^-1 k_r, two by two."""
        cdef Py_ssize_t j = self.nearest[r]
        cdef double tt = self.self_k * (1.0 + JITTER), rt = self.row[r], nn, tn, rn, det
        if j < 0:
            one[0], two[0] = rt / self.self_k, 0.0
            return self.s.self_k[r] - rt * rt / self.self_k
        nn, tn, rn = self.s.self_k[j] * (1.0 + JITTER), self.row[j], self.near_k[r]
        det = tt * nn - tn * tn
        if not det > 0.0:
            one[0], two[0] = rt / self.self_k, 0.0
            return self.s.self_k[r] - rt * rt / self.self_k
        one[0] = (rt * nn - rn * tn) / det
        two[0] = (rn * tt - rt * tn) / det
        return self.s.self_k[r] - rt * one[0] - rn * two[0]

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t slot = self.slot, j, old = self.s.n
        if slot < old and self.nearest[slot] >= 0:
            self.a[self.nearest[slot]] += self.other_share
        BPASimple.commit(self, e)
        self.find_nearest(slot, self.row)
        for j in range(self.s.n):
            if j == slot:
                continue
            if slot < old and self.nearest[j] == slot:  # it is gone
                self.s.row_of(j, self.other)
                self.find_nearest(j, self.other)
            elif self.nearest[j] < 0 or (
                self.self_k - 2.0 * self.row[j]
                < self.s.self_k[self.nearest[j]] - 2.0 * self.near_k[j]
            ):
                self.nearest[j], self.near_k[j] = slot, self.row[j]

    cdef void find_nearest(self, Py_ssize_t i, const double* row) noexcept nogil:
        """The nearest support of number i, whose kernel row is given."""
        cdef Py_ssize_t j
        cdef double distance, least = INFINITY
        self.nearest[i] = -1
        for j in range(self.s.n):
            distance = self.s.self_k[j] - 2.0 * row[j]  # and K(x_i, x_i), the same for all
            if j != i and distance < least:
                least, self.nearest[i], self.near_k[i] = distance, j, row[j]

    def export(self):
        cdef Py_ssize_t i
        nearest = np.array([self.nearest[i] for i in range(self.s.n)], dtype=np.int64)
        near = np.array([self.near_k[i] if self.nearest[i] >= 0 else 0.0 for i in range(self.s.n)])
        return {**BudgetMachine.export(self), "nearest": nearest, "near_k": near.astype(np.float64)}

    def restore(self, fields, width, who):
        cdef Py_ssize_t i
        BudgetMachine.restore(self, fields, width, who)
        nearest = fields.integers("nearest", (self.s.n,), -1, self.s.n - 1)
        near = fields.array("near_k", (self.s.n,))
        for i in range(self.s.n):
            self.nearest[i], self.near_k[i] = nearest[i], near[i]

    def memory(self):
        return BudgetMachine.memory(self) + 16 * self.room


cdef class BPAProjection(BPASimple):
    """BPA-P: all supports and the new one take over what they can of the one that goes."""

    cdef KeptInverse inverse

    def __cinit__(self, *args):
        self.inverse = KeptInverse()

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        return BudgetMachine.grow(self, supports, e) and self.inverse.fit(self.room)

    cdef double choose(self) noexcept nogil:
        cdef Py_ssize_t r
        cdef double change, least = INFINITY
        if not fabs(self.tau) < SAFE:
            return INFINITY
        self.inverse.project(self.row, self.self_k, self.s.n)
        self.inverse.gap += self.inverse.jitter * self.self_k
        for r in range(self.s.n):
            change = self.a[r] * self.a[r] / self.diagonal(r)
            if change < least:
                least, self.slot = change, r
        return least

    cdef double diagonal(self, Py_ssize_t r) noexcept nogil:
        """(G^-1)_rr, where G is the Gram matrix with the example; 1 / that is the squared residual."""
        return self.inverse.at_least(self.inverse.with_example(r, r), self.s.self_k[r])

    cdef bint hand_over(self) noexcept nogil:
        """`other` becomes the coefficients afterwards: that of the new support at `slot`."""
        cdef Py_ssize_t i, r = self.slot
        cdef double diagonal
        if r == self.s.n:
            return BPASimple.hand_over(self)
        diagonal = self.diagonal(r)
        for i in range(self.s.n):
            self.other[i] = self.a[i] - self.a[r] * self.inverse.with_example(i, r) / diagonal
        self.other[r] = self.tau - self.a[r] * (-self.inverse.d[r] / self.inverse.gap) / diagonal
        for i in range(self.s.n):
            if not fabs(self.other[i]) < SAFE:
                return False
        return True

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, r = self.slot
        if r == self.s.n:
            BPASimple.commit(self, e)
            self.inverse.remember(r, self.row, self.self_k, self.s.n)
            if self.s.n == self.budget:
                self.inverse.invert(self.s.self_k, self.s.n)
            return
        for i in range(self.s.n):
            self.a[i] = self.other[i]
        self.inverse.replace(r, self.s.self_k[r], self.other, self.s.n)
        self.s.put(r, e, self.length, self.self_k, self.row)
        self.inverse.remember(r, self.row, self.self_k, self.s.n)
        self.inverse.mend(self.s.self_k, self.other, self.s.n)

    def export(self):
        return {**BudgetMachine.export(self), **self.inverse.export(self.s.n)}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        self.inverse.restore(fields, self.s.n)

    def memory(self):
        return BudgetMachine.memory(self) + self.inverse.memory()


cdef class KeptInverse(Inverse):
    """An inverse in which supports replace each other. It is computed when the budget is full and then
    kept up to date; it is computed again after n replacements, and whenever it is no longer the
    inverse: supports close to each other make it so large that rounding errors soon fill it. If that
    happens within 16 replacements, the diagonal of the Gram matrix is raised a little more. `other`
    is room for n numbers."""

    cdef int64_t replaced  # since the inverse was made
    cdef double jitter     # what the diagonal is raised by, relatively
    cdef Py_ssize_t gram_room  # supports that fit into this; `room` may be behind, if memory failed:
    cdef double* gram      # kernels between supports, gram_room x gram_room

    def __cinit__(self):
        self.jitter = JITTER

    def __dealloc__(self):
        release(self.gram)

    cdef bint fit(self, Py_ssize_t room) noexcept nogil:
        if room > self.gram_room:
            if not widened(&self.gram, self.gram_room, room):
                return False
            self.gram_room = room
        return Inverse.fit(self, room)

    cdef double with_example(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        """(G^-1)_ir if the projected example were a support, too."""
        return self.values[i * self.room + r] + self.d[i] * self.d[r] / self.gap

    cdef double at_least(self, double diagonal, double self_k) noexcept nogil:
        """An element of the diagonal is never below 1 / K_rr, whatever rounding says."""
        return max(diagonal, 1.0 / (self_k * (1.0 + self.jitter)))

    cdef void remember(self, Py_ssize_t r, const double* row, double self_k, Py_ssize_t n) noexcept nogil:
        """The row of support r in the Gram matrix."""
        cdef Py_ssize_t i
        for i in range(n):
            self.gram[r * self.gram_room + i] = self.gram[i * self.gram_room + r] = row[i]
        self.gram[r * self.gram_room + r] = self_k

    cdef void mend(self, const double* self_k, double* other, Py_ssize_t n) noexcept nogil:
        """Note one more replacement, and compute the inverse again if it is time."""
        self.replaced += 1
        if not self.inverts(self_k, other, n):
            if self.replaced < 16:
                self.jitter = min(10.0 * self.jitter, MOST_JITTER)
            self.invert(self_k, n)
        elif self.replaced >= n:
            self.invert(self_k, n)

    cdef bint inverts(self, const double* self_k, double* other, Py_ssize_t n) noexcept nogil:
        """Is K_S^-1 K_S v = v? For one v of signs."""
        cdef Py_ssize_t i
        cdef double v
        for i in range(n):
            other[i] = 1.0 if (i * 7) & 4 else -1.0
        for i in range(n):
            self.d[i] = onstream_dot(self.gram + i * self.gram_room, other, n)
            self.d[i] += self.jitter * self_k[i] * other[i]
        for i in range(n):
            v = onstream_dot(self.values + i * self.room, self.d, n)
            if not fabs(v - other[i]) < 1e-3:
                return False
        return True

    cdef void replace(self, Py_ssize_t r, double self_k, double* other, Py_ssize_t n) noexcept nogil:
        """The inverse with the example in the place of support r: enlarge it, then take r out."""
        cdef Py_ssize_t i
        cdef double diagonal, at_new, at_i
        for i in range(n):
            onstream_axpy(self.values + i * self.room, self.d, self.d[i] / self.gap, n)
            other[i] = -self.d[i] / self.gap  # the new column
        diagonal = self.at_least(self.values[r * self.room + r], self_k)
        at_new = other[r]
        for i in range(n):
            self.d[i] = self.values[i * self.room + r]  # the column that goes
        for i in range(n):
            if i != r:
                onstream_axpy(self.values + i * self.room, self.d, -self.d[i] / diagonal, n)
        for i in range(n):
            if i != r:
                at_i = other[i] - self.d[i] * at_new / diagonal
                self.values[i * self.room + r] = self.values[r * self.room + i] = at_i
        self.values[r * self.room + r] = 1.0 / self.gap - at_new * at_new / diagonal

    cdef void invert(self, const double* self_k, Py_ssize_t n) noexcept nogil:
        """K_S^-1 from the beginning, by Cholesky: K = L L', then L^-1, then L'^-1 L^-1."""
        cdef Py_ssize_t i, j, k, room = self.room
        cdef double* L = self.values
        cdef double s
        self.replaced = 0
        for i in range(n):
            for j in range(i + 1):
                L[i * room + j] = self.gram[i * self.gram_room + j]
            L[i * room + i] *= 1.0 + self.jitter
        for i in range(n):
            for j in range(i + 1):
                s = L[i * room + j] - onstream_dot(L + i * room, L + j * room, j)
                if i == j:
                    L[i * room + i] = sqrt(max(s, self.jitter * self_k[i]))
                else:
                    L[i * room + j] = s / L[j * room + j]
        for j in range(n):  # L^-1, column by column, in place
            L[j * room + j] = 1.0 / L[j * room + j]
            for i in range(j + 1, n):
                s = 0.0
                for k in range(j, i):
                    s -= L[i * room + k] * L[k * room + j]
                L[i * room + j] = s / L[i * room + i]
        for i in range(n):  # the lower triangle holds M = L^-1; the product M'M goes above it
            for j in range(i, n):
                s = 0.0
                for k in range(j, n):
                    s += L[k * room + i] * L[k * room + j]
                if i == j:
                    self.d[i] = s
                else:
                    L[i * room + j] = s
        for i in range(n):
            L[i * room + i] = self.d[i]
            for j in range(i):
                L[i * room + j] = L[j * room + i]

    def export(self, n):
        gram = matrix(self.gram, n, n, self.gram_room)
        return {**Inverse.export(self, n), "replaced": self.replaced, "jitter": self.jitter, "gram": gram}

    def restore(self, fields, n):
        Inverse.restore(self, fields, n)
        self.replaced = fields.integer("replaced", 0)
        self.jitter = fields.number("jitter", JITTER, MOST_JITTER)
        fill(self.gram, fields.array("gram", (n, n)), self.gram_room)

    def memory(self):
        return Inverse.memory(self) + 8 * self.gram_room * self.gram_room
