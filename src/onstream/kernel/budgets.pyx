"""Machines on a budget. Each decides, with every number checked, then commits.

The slots of a machine are overwritten in place: the one that a policy empties is where the new
support goes. Where age counts, the slots are a ring.
"""

cimport numpy as cnp
from libc.math cimport INFINITY, fabs, log, pow, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

import numpy as np

from ..core.example cimport LEARNED, OVERFLOW, Example, onstream_axpy, onstream_dot
from ..core.memory cimport release
from .state cimport Machine, kernel_sum
from .supports cimport Program, Supports, grown, restrided

cnp.import_array()

cdef double LARGEST = 1e300
cdef double JITTER = 1e-10  # what is closer than this to the span of the supports is in it
cdef double MOST_JITTER = 1e-5


cdef object matrix(const double* values, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t stride):
    """The upper left corner of a C matrix as an array."""
    cdef Py_ssize_t i
    array = np.empty((rows, columns))
    for i in range(rows if columns else 0):
        memcpy(<double*> cnp.PyArray_DATA(<cnp.ndarray> array) + i * columns, values + i * stride,
               columns * sizeof(double))
    return array


cdef int fill(double* values, array, Py_ssize_t stride) except -1:
    """The other way round."""
    cdef Py_ssize_t i, columns = array.shape[1]
    array = np.ascontiguousarray(array)
    for i in range(array.shape[0] if columns else 0):
        memcpy(values + i * stride, <double*> cnp.PyArray_DATA(<cnp.ndarray> array) + i * columns,
               columns * sizeof(double))
    return 0


# -- fixed budget perceptrons ------------------------------------------------------------------------


cdef class FixedBudgetMachine(Machine):
    """Full: out goes the support that is safest without itself (Crammer, Kandola & Singer)."""

    cdef double beta
    cdef double* g         # f at each support, kept up to date
    cdef double step       # planned: coefficient of the new support,
    cdef Py_ssize_t slot   # its slot,
    cdef double at_new     # and f there afterwards

    def __cinit__(self, Program program, budget, double beta, *args):
        self.beta = beta
        self.g = NULL

    def __dealloc__(self):
        release(self.g)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        return Machine.grow(self, supports, e) and grown(
            <void**> &self.g, old * sizeof(double), self.room * sizeof(double))

    cdef Py_ssize_t safest(self) noexcept nogil:
        """argmax of y_j f(x_j) - |a_j| K(x_j, x_j)."""
        cdef Py_ssize_t j, best = 0
        cdef double margin, top = -INFINITY
        for j in range(self.s.n):
            margin = self.margin(j)
            if margin > top:
                best, top = j, margin
        return best

    cdef double margin(self, Py_ssize_t j) noexcept nogil:
        """The margin of support j without itself."""
        return (self.g[j] if self.a[j] > 0.0 else -self.g[j]) - fabs(self.a[j]) * self.s.self_k[j]

    cdef Py_ssize_t victim(self, double y, double step) noexcept nogil:
        return self.safest()

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        if y * f > self.beta:
            return LEARNED
        self.step = y * e.weight
        if not fabs(self.step) < LARGEST or not self.grow(min(self.s.n + 1, self.budget), e):
            return OVERFLOW
        self.slot = self.s.n
        self.at_new = f + self.step * self.self_k
        if self.s.n == self.budget:
            self.slot = self.victim(y, self.step)
            self.s.row_of(self.slot, self.other)
            self.at_new -= self.a[self.slot] * self.row[self.slot]
        self.acts = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        if self.slot < self.s.n:
            onstream_axpy(self.g, self.other, -self.a[self.slot], self.s.n)
        onstream_axpy(self.g, self.row, self.step, self.s.n)
        self.s.put(self.slot, e, self.length, self.self_k, self.row)
        self.a[self.slot] = self.step
        self.g[self.slot] = self.at_new

    cdef void negate(self) noexcept nogil:
        cdef Py_ssize_t i
        Machine.negate(self)
        for i in range(self.s.n):
            self.g[i] = 0.0 - self.g[i]

    def export(self):
        return {**Machine.export(self), "margins": matrix(self.g, 1, self.s.n, self.room)[0]}

    def restore(self, fields, width, who):
        Machine.restore(self, fields, width, who)
        fill(self.g, fields.array("margins", (self.s.n,)).reshape(1, -1), self.room)

    def memory(self):
        return Machine.memory(self) + 8 * self.room


cdef class TighterMachine(FixedBudgetMachine):
    """Full: out goes the support whose absence costs the fewest errors on the supports and the last
    examples; of equal ones the safest (Weston, Bordes & Bottou)."""

    cdef Supports recent       # the last examples
    cdef Py_ssize_t memory_    # how many of them at most
    cdef Py_ssize_t next       # the slot of the next one
    cdef double* labels        # -1 or +1, of each
    cdef double* recent_row    # kernel row of the example being learned with them
    cdef double* gram          # kernels between supports: room x room
    cdef double* cross         # kernels of supports with the last examples: room x memory
    cdef double* errors        # of each support's absence
    cdef double y              # planned: label of the example

    def __cinit__(self, Program program, budget, double beta, Py_ssize_t memory):
        self.memory_ = memory
        self.recent = Supports(program)
        self.next = 0
        self.labels = self.recent_row = self.gram = self.cross = self.errors = NULL

    def __dealloc__(self):
        release(self.labels)
        release(self.recent_row)
        release(self.gram)
        release(self.cross)
        release(self.errors)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room, room
        if not FixedBudgetMachine.grow(self, supports, e):
            return False
        room = self.room
        return (
            restrided(&self.gram, old, old, room)
            and grown(<void**> &self.gram, old * room * sizeof(double), room * room * sizeof(double))
            and grown(<void**> &self.cross, old * self.memory_ * sizeof(double), room * self.memory_ * sizeof(double))
            and grown(<void**> &self.errors, old * sizeof(double), room * sizeof(double))
        ) if room > old else True

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil:
        cdef int status
        cdef Example none
        none.ids, none.values, none.n, none.width = NULL, NULL, 0, 0
        if self.memory_:
            if not self.recent.fit(min(max(2 * self.recent.n, self.recent.n + 1), self.memory_), e):
                return OVERFLOW
            if not (
                grown(<void**> &self.labels, self.recent.room * sizeof(double), self.recent.room * sizeof(double))
                and grown(<void**> &self.recent_row, self.recent.room * sizeof(double), self.recent.room * sizeof(double))
                and self.grow(self.s.n, &none)
            ):
                return OVERFLOW
            if not self.s.measure(e, &self.length, &self.self_k):
                return OVERFLOW
            self.recent.row(e, self.length, self.recent_row)
        self.slot = -1
        self.y = y
        status = Machine.plan(self, e, y, f)
        self.acts = True
        return status

    cdef Py_ssize_t victim(self, double y, double step) noexcept nogil:
        cdef Py_ssize_t i, j, best = 0, n = self.s.n
        cdef double f, label
        memset(self.errors, 0, n * sizeof(double))
        for i in range(n):  # supports
            label = 1.0 if self.a[i] > 0.0 else -1.0
            f = onstream_dot(self.gram + i * self.room, self.a, n)
            for j in range(n):
                self.errors[j] += label * (f - self.a[j] * self.gram[i * self.room + j]) <= 0.0
        for i in range(self.recent.n):
            f = 0.0
            for j in range(n):
                f += self.a[j] * self.cross[j * self.memory_ + i]
            for j in range(n):
                self.errors[j] += self.labels[i] * (f - self.a[j] * self.cross[j * self.memory_ + i]) <= 0.0
        for j in range(1, n):
            if self.errors[j] < self.errors[best] or (
                self.errors[j] == self.errors[best] and self.margin(j) > self.margin(best)
            ):
                best = j
        return best

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        if self.slot >= 0:
            FixedBudgetMachine.commit(self, e)
            for i in range(self.s.n):
                self.gram[self.slot * self.room + i] = self.gram[i * self.room + self.slot] = self.row[i]
            self.gram[self.slot * self.room + self.slot] = self.self_k
            for i in range(self.recent.n):
                self.cross[self.slot * self.memory_ + i] = self.recent_row[i]
            self.row[self.slot] = self.self_k
        if self.memory_:
            self.recent.put(self.next, e, self.length, self.self_k, self.recent_row)
            self.labels[self.next] = self.y
            for i in range(self.s.n):
                self.cross[i * self.memory_ + self.next] = self.row[i]
            self.next = (self.next + 1) % self.memory_

    cdef void negate(self) noexcept nogil:
        cdef Py_ssize_t i
        FixedBudgetMachine.negate(self)
        for i in range(self.recent.n):
            self.labels[i] = -self.labels[i]

    def stores(self):
        return [self.s, self.recent] if self.memory_ else [self.s]

    def export(self):
        return {
            **FixedBudgetMachine.export(self), "recent": self.recent.export(), "next": self.next,
            "recent_labels": matrix(self.labels, 1, self.recent.n, 0)[0],
            "gram": matrix(self.gram, self.s.n, self.s.n, self.room),
            "cross": matrix(self.cross, self.s.n, self.recent.n, self.memory_),
        }

    def restore(self, fields, width, who):
        FixedBudgetMachine.restore(self, fields, width, who)
        self.recent.restore(fields.child("recent"), self.memory_, width, who)
        n = self.recent.n
        self.next = fields.integer("next", 0, max(0, self.memory_ - 1))
        if n < self.memory_ and self.next != n:
            raise ValueError("next does not fit")
        if not (
            grown(<void**> &self.labels, 0, self.recent.room * sizeof(double))
            and grown(<void**> &self.recent_row, 0, self.recent.room * sizeof(double))
        ):
            raise MemoryError
        labels = fields.array("recent_labels", (n,))
        if not (np.abs(labels) == 1.0).all():
            raise ValueError("recent_labels must be -1 or 1")
        fill(self.labels, labels.reshape(1, -1), n)
        fill(self.gram, fields.array("gram", (self.s.n, self.s.n)), self.room)
        fill(self.cross, fields.array("cross", (self.s.n, n)), self.memory_)

    def memory(self):
        own = 2 * self.recent.room + self.room * self.room + self.room * self.memory_ + self.room
        return FixedBudgetMachine.memory(self) + self.recent.memory() + 8 * own


# -- Forgetrons --------------------------------------------------------------------------------------


cdef class SelfTunedForgetron(Machine):
    """Shrink all coefficients just enough that dropping the oldest does no harm that is not paid for
    (Dekel, Shalev-Shwartz & Singer). Slots are a ring."""

    cdef int64_t oldest
    cdef int64_t mistakes  # M
    cdef double damage     # Q
    cdef double step       # planned: coefficient of the new support, before the shrinking
    cdef double phi        # factor for all
    cdef double cost       # what Q grows by

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double sigma, mu, a, b, c
        cdef Py_ssize_t r = self.oldest
        if y * f > 0.0:
            return LEARNED
        self.step, self.phi, self.cost = y * e.weight, 1.0, 0.0
        if not fabs(self.step) < LARGEST or not self.grow(min(self.s.n + 1, self.budget), e):
            return OVERFLOW
        if self.s.n == self.budget:
            self.s.row_of(r, self.other)
            sigma = fabs(self.a[r])
            mu = kernel_sum(self.other, self.a, self.s.n) + self.step * self.row[r]
            if self.a[r] < 0.0:
                mu = -mu
            a, b, c = sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma, self.damage - 15.0 / 32.0 * (self.mistakes + 1)
            if a + b + c > 0.0:
                self.phi = min(1.0, -2.0 * c / (b + sqrt(max(0.0, b * b - 4.0 * a * c))))
            sigma, mu = self.phi * sigma, self.phi * mu
            self.cost = sigma * sigma + 2.0 * sigma - 2.0 * sigma * mu
            if not (fabs(self.damage + self.cost) < LARGEST and self.phi > 0.0):
                return OVERFLOW
        self.acts = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, slot = self.s.n
        self.mistakes += 1
        if self.s.n == self.budget:
            slot = self.oldest
            self.oldest = (slot + 1) % self.budget
            self.damage += self.cost
        if self.phi != 1.0:
            for i in range(self.s.n):
                self.a[i] *= self.phi
        self.s.put(slot, e, self.length, self.self_k, self.row)
        self.a[slot] = self.step * self.phi

    def export(self):
        return {
            **Machine.export(self), "oldest": self.oldest, "mistakes": self.mistakes,
            "damage": self.damage,
        }

    def restore(self, fields, width, who):
        Machine.restore(self, fields, width, who)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)
        self.mistakes = fields.integer("mistakes", 0)
        self.damage = fields.number("damage", -LARGEST, LARGEST)


cdef class BasicForgetron(Machine):
    """Shrink on every mistake, by a constant and so far that |f| stays below U."""

    cdef int64_t oldest
    cdef double square     # |f|²
    cdef double step, phi, after

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double B = self.budget + 1.0, square, at_oldest, a
        cdef Py_ssize_t r = self.oldest
        if y * f > 0.0:
            return LEARNED
        self.step = y * e.weight
        if not fabs(self.step) < LARGEST or not self.grow(min(self.s.n + 1, self.budget), e):
            return OVERFLOW
        square = max(0.0, self.square + 2.0 * self.step * f + self.step * self.step * self.self_k)
        self.phi = pow(B, -1.0 / (2.0 * B))
        if square > 0.0:
            self.phi = min(self.phi, 0.25 * sqrt(B / log(B)) / sqrt(square))
        square *= self.phi * self.phi
        if self.s.n == self.budget:
            self.s.row_of(r, self.other)
            at_oldest = self.phi * (kernel_sum(self.other, self.a, self.s.n) + self.step * self.row[r])
            a = self.phi * self.a[r]
            square = max(0.0, square - 2.0 * a * at_oldest + a * a * self.s.self_k[r])
        self.after = square
        if not (square < LARGEST and self.phi > 0.0):
            return OVERFLOW
        self.acts = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, slot = self.s.n
        if self.s.n == self.budget:
            slot = self.oldest
            self.oldest = (slot + 1) % self.budget
        for i in range(self.s.n):
            self.a[i] *= self.phi
        self.s.put(slot, e, self.length, self.self_k, self.row)
        self.a[slot] = self.step * self.phi
        self.square = self.after

    def export(self):
        return {**Machine.export(self), "oldest": self.oldest, "square": self.square}

    def restore(self, fields, width, who):
        Machine.restore(self, fields, width, who)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)
        self.square = fields.number("square", 0.0, LARGEST)


cdef class SimpleForgetron(Machine):
    """Shrink the others by a constant, drop the oldest, add the new one unshrunk."""

    cdef int64_t oldest
    cdef double phi, step

    def __cinit__(self, Program program, budget, double phi):
        self.phi = phi

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        if y * f > 0.0:
            return LEARNED
        self.step = y * e.weight
        if not fabs(self.step) < LARGEST or not self.grow(min(self.s.n + 1, self.budget), e):
            return OVERFLOW
        self.acts = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, slot = self.s.n
        if self.s.n == self.budget:
            slot = self.oldest
            self.oldest = (slot + 1) % self.budget
        for i in range(self.s.n):
            self.a[i] *= self.phi
        self.s.put(slot, e, self.length, self.self_k, self.row)
        self.a[slot] = self.step

    def export(self):
        return {**Machine.export(self), "oldest": self.oldest}

    def restore(self, fields, width, who):
        Machine.restore(self, fields, width, who)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)


# -- Projectrons -------------------------------------------------------------------------------------


cdef class InverseMachine(Machine):
    """A machine that knows the inverse of its Gram matrix."""

    cdef double* inverse   # room x room
    cdef double* d         # coordinates of the example's projection on the supports
    cdef double gap        # squared distance of the example from their span

    def __cinit__(self, *args):
        self.inverse = self.d = NULL

    def __dealloc__(self):
        release(self.inverse)
        release(self.d)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room, room
        if not Machine.grow(self, supports, e):
            return False
        room = self.room
        return (
            restrided(&self.inverse, old, old, room)
            and grown(<void**> &self.inverse, old * room * sizeof(double), room * room * sizeof(double))
            and grown(<void**> &self.d, old * sizeof(double), room * sizeof(double))
        ) if room > old else True

    cdef void project(self) noexcept nogil:
        """d = K_S^-1 k and the squared distance K(x, x) - k.d."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.d[i] = onstream_dot(self.inverse + i * self.room, self.row, self.s.n)
        self.gap = max(0.0, self.self_k - onstream_dot(self.row, self.d, self.s.n))

    cdef void enlarge(self) noexcept nogil:
        """The inverse with the example, whose slot will be the next one."""
        cdef Py_ssize_t i, n = self.s.n
        for i in range(n):
            onstream_axpy(self.inverse + i * self.room, self.d, self.d[i] / self.gap, n)
            self.inverse[i * self.room + n] = self.inverse[n * self.room + i] = -self.d[i] / self.gap
        self.inverse[n * self.room + n] = 1.0 / self.gap

    def export(self):
        return {**Machine.export(self), "inverse": matrix(self.inverse, self.s.n, self.s.n, self.room)}

    def restore(self, fields, width, who):
        Machine.restore(self, fields, width, who)
        fill(self.inverse, fields.array("inverse", (self.s.n, self.s.n)), self.room)

    def memory(self):
        return Machine.memory(self) + 8 * (self.room * self.room + self.room)


cdef class ProjectronMachine(InverseMachine):
    """A mistake whose example is nearly in the span of the supports only changes coefficients
    (Orabona, Keshet & Caputo)."""

    cdef double eta
    cdef bint plus         # also learn from small margins
    cdef double step       # planned: of the example, or of its projection
    cdef bint adds         # it becomes a support

    def __cinit__(self, Program program, budget, double eta, bint plus):
        self.eta, self.plus = eta, plus

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double m = y * f, loss = 1.0 - m, p, gap
        cdef Py_ssize_t i
        if m > 0.0 and not (self.plus and loss > 0.0):
            return LEARNED
        self.project()
        if m > 0.0:  # Projectron++ on a small margin
            p = self.self_k - self.gap
            gap = sqrt(self.gap) / self.eta
            if not (p > 0.0 and loss > gap and self.s.n):
                return LEARNED
            self.step = y * e.weight * min(min(loss / p, 2.0 * (loss - gap) / p), 1.0)
            self.adds = False
        else:
            self.step = y * e.weight
            self.adds = sqrt(self.gap) > self.eta and self.gap > JITTER * self.self_k
            if self.budget and self.s.n == self.budget:
                self.adds = False
        if self.adds:
            if not (fabs(self.step) < LARGEST and 1.0 / self.gap < LARGEST and self.grow(self.s.n + 1, e)):
                return OVERFLOW
        for i in range(self.s.n):
            if not fabs(self.a[i] + self.step * self.d[i]) < LARGEST or not fabs(self.d[i]) < LARGEST:
                return OVERFLOW
        self.acts = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        if not self.adds:
            onstream_axpy(self.a, self.d, self.step, self.s.n)
            return
        self.enlarge()
        self.a[self.s.n] = self.step
        self.s.put(self.s.n, e, self.length, self.self_k, self.row)


# -- budgeted passive-aggressive -----------------------------------------------------------------------


cdef class BPASimple(Machine):
    """Full: the support whose loss changes f least goes, and the new one takes over what it can."""

    cdef double C
    cdef bint allow_skip
    cdef double tau        # planned: the signed PA-I step,
    cdef Py_ssize_t slot   # where it goes,
    cdef double share      # and what the new support takes over from the one that was there

    def __cinit__(self, Program program, budget, double C, bint allow_skip, *args):
        self.C, self.allow_skip = C, allow_skip

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double loss = 1.0 - y * f, C = self.C * e.weight, tau, worst
        if not (loss > 0.0 and self.self_k > 0.0):
            return LEARNED
        tau = min(C, loss / self.self_k)
        self.tau = y * tau
        self.slot, self.share = self.s.n, 0.0
        if not self.grow(min(self.s.n + 1, self.budget), e):
            return OVERFLOW
        if self.s.n == self.budget:
            worst = self.choose()
            if not worst < LARGEST:
                return OVERFLOW
            if self.allow_skip and C * loss < 0.5 * (worst + tau * tau * self.self_k) + C * (loss - tau * self.self_k):
                return LEARNED
        if not fabs(self.tau + self.share) < LARGEST:
            return OVERFLOW
        self.acts = True
        return LEARNED

    cdef double choose(self) noexcept nogil:
        """Set `slot` and `share`; the squared change of f that the removal causes."""
        cdef Py_ssize_t r
        cdef double change, least = INFINITY
        for r in range(self.s.n):
            change = self.a[r] * self.a[r] * max(0.0, self.s.self_k[r] - self.row[r] * self.row[r] / self.self_k)
            if change < least:
                least, self.slot = change, r
        self.share = self.a[self.slot] * self.row[self.slot] / self.self_k
        return least

    cdef void commit(self, const Example* e) noexcept nogil:
        self.s.put(self.slot, e, self.length, self.self_k, self.row)
        self.a[self.slot] = self.tau + self.share


cdef class BPANearest(BPASimple):
    """The nearest support of the one that goes also takes over what it can."""

    cdef int64_t* nearest  # of each support; -1: none
    cdef double* near_k    # the kernel with it
    cdef double other_share

    def __cinit__(self, *args):
        self.nearest = NULL
        self.near_k = NULL

    def __dealloc__(self):
        release(self.nearest)
        release(self.near_k)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        return (
            Machine.grow(self, supports, e)
            and grown(<void**> &self.nearest, old * sizeof(int64_t), self.room * sizeof(int64_t))
            and grown(<void**> &self.near_k, old * sizeof(double), self.room * sizeof(double))
        )

    cdef double choose(self) noexcept nogil:
        cdef Py_ssize_t r, j
        cdef double change, least = INFINITY, one, two
        for r in range(self.s.n):
            change = self.a[r] * self.a[r] * max(0.0, self.residual(r, &one, &two))
            if change < least:
                least, self.slot = change, r
                self.share, self.other_share = self.a[r] * one, self.a[r] * two
        j = self.nearest[self.slot]
        if j >= 0 and not fabs(self.a[j] + self.other_share) < LARGEST:
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
        return {**Machine.export(self), "nearest": nearest, "near_k": near.astype(np.float64)}

    def restore(self, fields, width, who):
        cdef Py_ssize_t i
        Machine.restore(self, fields, width, who)
        nearest = fields.integers("nearest", (self.s.n,), -1, self.s.n - 1)
        near = fields.array("near_k", (self.s.n,))
        for i in range(self.s.n):
            self.nearest[i], self.near_k[i] = nearest[i], near[i]

    def memory(self):
        return Machine.memory(self) + 16 * self.room


cdef class BPAProjection(InverseMachine):
    """All supports and the new one take over what they can of the one that goes. The inverse of
    their Gram matrix is made when the budget is full and then kept up to date. It is made anew after
    as many replacements as there are supports, and whenever it no longer is the inverse: supports
    close to each other make it so large that rounding errors soon fill it. If that happens again and
    again, the diagonal of the matrix is raised a little more."""

    cdef double C
    cdef bint allow_skip
    cdef double tau
    cdef Py_ssize_t slot
    cdef int64_t replaced  # since the inverse was made
    cdef double jitter     # what the diagonal is raised by, relatively
    cdef double* gram      # kernels between supports, room x room

    def __cinit__(self, Program program, budget, double C, bint allow_skip):
        self.C, self.allow_skip = C, allow_skip
        self.jitter = JITTER
        self.gram = NULL

    def __dealloc__(self):
        release(self.gram)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room, room
        if not InverseMachine.grow(self, supports, e):
            return False
        room = self.room
        return (
            restrided(&self.gram, old, old, room)
            and grown(<void**> &self.gram, old * room * sizeof(double), room * room * sizeof(double))
        ) if room > old else True

    cdef double diagonal(self, Py_ssize_t r) noexcept nogil:
        """(G^-1)_rr with the example; never below 1 / K_rr, whatever rounding says."""
        cdef double value = self.inverse[r * self.room + r] + self.d[r] * self.d[r] / self.gap
        return max(value, 1.0 / (self.s.self_k[r] * (1.0 + self.jitter)))

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double loss = 1.0 - y * f, C = self.C * e.weight, tau, change, least = INFINITY
        cdef Py_ssize_t r
        if not (loss > 0.0 and self.self_k > 0.0):
            return LEARNED
        tau = min(C, loss / self.self_k)
        self.tau = y * tau
        self.slot = self.s.n
        if not (tau < LARGEST and self.grow(min(self.s.n + 1, self.budget), e)):
            return OVERFLOW
        if self.s.n == self.budget:
            self.project()
            self.gap = max(self.gap, 0.0) + self.jitter * self.self_k
            for r in range(self.s.n):
                change = self.a[r] * self.a[r] / self.diagonal(r)
                if change < least:
                    least, self.slot = change, r
            if not least < LARGEST:
                return OVERFLOW
            if self.allow_skip and C * loss < 0.5 * (least + tau * tau * self.self_k) + C * (loss - tau * self.self_k):
                return LEARNED
            self.shares()
            for r in range(self.s.n):
                if not fabs(self.other[r]) < LARGEST:
                    return OVERFLOW
        self.acts = True
        return LEARNED

    cdef void shares(self) noexcept nogil:
        """`other` becomes the coefficients afterwards: that of the new support at `slot`."""
        cdef Py_ssize_t i, r = self.slot
        cdef double* column = self.other
        cdef double diagonal = self.diagonal(r)
        for i in range(self.s.n):
            column[i] = self.a[i] - self.a[r] * (self.inverse[i * self.room + r] + self.d[i] * self.d[r] / self.gap) / diagonal
        column[r] = self.tau - self.a[r] * (-self.d[r] / self.gap) / diagonal

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, r = self.slot
        if r == self.s.n:
            self.a[r] = self.tau
            self.s.put(r, e, self.length, self.self_k, self.row)
            self.remember(r)
            if self.s.n == self.budget:
                self.invert()
            return
        for i in range(self.s.n):
            self.a[i] = self.other[i]
        self.replace(r)
        self.s.put(r, e, self.length, self.self_k, self.row)
        self.remember(r)
        self.replaced += 1
        if not self.inverts():
            if self.replaced < 16:
                self.jitter = min(10.0 * self.jitter, MOST_JITTER)
            self.invert()
        elif self.replaced >= self.s.n:
            self.invert()

    cdef void remember(self, Py_ssize_t r) noexcept nogil:
        """The row of the example in the Gram matrix."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.gram[r * self.room + i] = self.gram[i * self.room + r] = self.row[i]
        self.gram[r * self.room + r] = self.self_k

    cdef bint inverts(self) noexcept nogil:
        """Does K_S^-1 K_S v give back v? For one v, of signs."""
        cdef Py_ssize_t i, n = self.s.n
        cdef double v
        for i in range(n):
            self.other[i] = 1.0 if (i * 7) & 4 else -1.0
        for i in range(n):
            self.d[i] = onstream_dot(self.gram + i * self.room, self.other, n)
            self.d[i] += self.jitter * self.s.self_k[i] * self.other[i]
        for i in range(n):
            v = onstream_dot(self.inverse + i * self.room, self.d, n)
            if not fabs(v - self.other[i]) < 1e-3:
                return False
        return True

    cdef void replace(self, Py_ssize_t r) noexcept nogil:
        """The inverse with the example in the place of support r: enlarge it, then take r out."""
        cdef Py_ssize_t i, j, n = self.s.n
        cdef double diagonal, at_new
        for i in range(n):
            onstream_axpy(self.inverse + i * self.room, self.d, self.d[i] / self.gap, n)
            self.other[i] = -self.d[i] / self.gap  # the new column
        diagonal = max(self.inverse[r * self.room + r], 1.0 / (self.s.self_k[r] * (1.0 + self.jitter)))
        at_new = self.other[r]
        for i in range(n):
            self.d[i] = self.inverse[i * self.room + r]  # the column that goes
        for i in range(n):
            if i != r:
                onstream_axpy(self.inverse + i * self.room, self.d, -self.d[i] / diagonal, n)
        for i in range(n):
            if i != r:
                self.inverse[i * self.room + r] = self.inverse[r * self.room + i] = self.other[i] - self.d[i] * at_new / diagonal
        self.inverse[r * self.room + r] = 1.0 / self.gap - at_new * at_new / diagonal

    cdef void invert(self) noexcept nogil:
        """K_S^-1 from the beginning, by Cholesky: K = L L', then L^-1, then L'^-1 L^-1."""
        cdef Py_ssize_t i, j, k, n = self.s.n, room = self.room
        cdef double* L = self.inverse
        cdef double s
        self.replaced = 0
        for i in range(n):
            for j in range(i + 1):
                L[i * room + j] = self.gram[i * room + j]
            L[i * room + i] *= 1.0 + self.jitter
        for i in range(n):
            for j in range(i + 1):
                s = L[i * room + j] - onstream_dot(L + i * room, L + j * room, j)
                if i == j:
                    L[i * room + i] = sqrt(max(s, self.jitter * self.s.self_k[i]))
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

    def export(self):
        return {
            **InverseMachine.export(self), "replaced": self.replaced, "jitter": self.jitter,
            "gram": matrix(self.gram, self.s.n, self.s.n, self.room),
        }

    def restore(self, fields, width, who):
        InverseMachine.restore(self, fields, width, who)
        self.replaced = fields.integer("replaced", 0)
        self.jitter = fields.number("jitter", JITTER, MOST_JITTER)
        fill(self.gram, fields.array("gram", (self.s.n, self.s.n)), self.room)

    def memory(self):
        return InverseMachine.memory(self) + 8 * self.room * self.room
