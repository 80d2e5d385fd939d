"""Perceptrons that drop the support whose absence does the least harm (Crammer, Kandola & Singer,
NIPS 2003; Weston, Bordes & Bottou, AISTATS 2005).

Slots are overwritten in place: the new support takes the slot of the one that goes.
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

import numpy as np

from ...core.arrays cimport fill, floats, matrix
from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example, onstream_axpy, onstream_dot
from ...core.memory cimport release
from .._supports cimport CompiledKernel, Supports, grown, widened
from ._one_vs_rest cimport BudgetMachine


cdef class FixedBudgetMachine(BudgetMachine):
    """Full: the support goes whose margin is the largest without itself."""

    cdef double beta
    cdef double* g         # f at each support, kept up to date
    cdef Py_ssize_t slot   # planned: slot of the new support,
    cdef double at_new     # and f there afterwards

    def __cinit__(self, CompiledKernel compiled, budget, double beta, *args):
        self.beta = beta

    def __dealloc__(self):
        release(self.g)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        return BudgetMachine.grow(self, supports, e) and grown(&self.g, old, self.room)

    cdef Py_ssize_t victim(self) noexcept nogil:
        """argmax_j [y_j f(x_j) - |a_j| K(x_j, x_j)]."""
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

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        if y * f > self.beta:
            return LEARNED
        self.tau = y * e.weight
        if not fabs(self.tau) < SAFE:
            return OVERFLOW
        if not self.make_room(e):
            return NO_MEMORY
        self.slot = self.s.n
        self.at_new = f + self.tau * self.self_k
        if self.s.n == self.budget:
            self.slot = self.victim()
            self.s.row_of(self.slot, self.other)
            self.at_new -= self.a[self.slot] * self.row[self.slot]
        self.pending = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        # f at the supports without the one that goes, and with the new one.
        if self.slot < self.s.n:
            onstream_axpy(self.g, self.other, -self.a[self.slot], self.s.n)
        onstream_axpy(self.g, self.row, self.tau, self.s.n)
        self.place(self.slot, e, self.tau)
        self.g[self.slot] = self.at_new

    cdef void negate(self) noexcept nogil:
        cdef Py_ssize_t i
        BudgetMachine.negate(self)
        for i in range(self.s.n):
            self.g[i] = 0.0 - self.g[i]

    def export(self):
        return {**BudgetMachine.export(self), "margins": floats(self.g, self.s.n)}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        fill(self.g, fields.array("margins", (self.s.n,)).reshape(1, -1), self.room)

    def memory(self):
        return BudgetMachine.memory(self) + 8 * self.room


cdef class TighterMachine(FixedBudgetMachine):
    """Full: the support goes whose absence costs the fewest errors on the supports and the last
    examples; ties are broken as above."""

    cdef Supports recent       # the last examples
    cdef Py_ssize_t memory_    # how many of them at most
    cdef Py_ssize_t next       # the slot of the next one
    cdef double* labels        # -1 or +1, of each
    cdef double* recent_row    # kernel row of the example being learned with them
    cdef Py_ssize_t gram_room  # supports that fit into these; `room` may be ahead, if memory failed:
    cdef double* gram          # kernels between supports: gram_room x gram_room
    cdef double* cross         # kernels of supports with the last examples: gram_room x memory
    cdef double* errors        # of each support's absence
    cdef double y              # planned: label of the example

    def __cinit__(self, CompiledKernel compiled, budget, double beta, Py_ssize_t memory):
        self.memory_ = memory
        self.recent = Supports(compiled)

    def __dealloc__(self):
        release(self.labels)
        release(self.recent_row)
        release(self.gram)
        release(self.cross)
        release(self.errors)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.gram_room, room
        if not FixedBudgetMachine.grow(self, supports, e):
            return False
        room = self.room
        if room > old:
            if not (
                grown(&self.cross, old * self.memory_, room * self.memory_)
                and grown(&self.errors, old, room)
                and widened(&self.gram, old, room)
            ):
                return False
            self.gram_room = room
        return True

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil:
        cdef int status
        cdef Example none
        none.ids, none.values, none.n, none.width = NULL, NULL, 0, 0
        if self.memory_:
            if not self.recent.fit(min(max(2 * self.recent.n, self.recent.n + 1), self.memory_), e):
                return NO_MEMORY
            if not (
                grown(&self.labels, self.recent.room, self.recent.room)
                and grown(&self.recent_row, self.recent.room, self.recent.room)
                and self.grow(self.s.n, &none)
            ):
                return NO_MEMORY
            if not self.s.measure(e, &self.length, &self.self_k):
                return OVERFLOW
            self.recent.row(e, self.length, self.recent_row)
        self.slot = -1
        self.y = y
        status = BudgetMachine.plan(self, e, y, f)
        self.pending = True
        return status

    cdef Py_ssize_t victim(self) noexcept nogil:
        cdef Py_ssize_t i, j, best = 0, n = self.s.n
        cdef double f, label
        memset(self.errors, 0, n * sizeof(double))
        for i in range(n):  # errors on the supports: y_i (f - a_j K(x_j, .))(x_i) <= 0
            label = 1.0 if self.a[i] > 0.0 else -1.0
            f = onstream_dot(self.gram + i * self.gram_room, self.a, n)
            for j in range(n):
                self.errors[j] += label * (f - self.a[j] * self.gram[i * self.gram_room + j]) <= 0.0
        for i in range(self.recent.n):  # and on the last examples
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
            self.row[self.slot] = self.self_k
            for i in range(self.s.n):
                self.gram[self.slot * self.gram_room + i] = self.gram[i * self.gram_room + self.slot] = self.row[i]
            for i in range(self.recent.n):
                self.cross[self.slot * self.memory_ + i] = self.recent_row[i]
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
            "recent_labels": floats(self.labels, self.recent.n),
            "gram": matrix(self.gram, self.s.n, self.s.n, self.gram_room),
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
            grown(&self.labels, 0, self.recent.room)
            and grown(&self.recent_row, 0, self.recent.room)
        ):
            raise MemoryError
        labels = fields.array("recent_labels", (n,))
        if not (np.abs(labels) == 1.0).all():
            raise ValueError("recent_labels must be -1 or 1")
        fill(self.labels, labels.reshape(1, -1), n)
        fill(self.gram, fields.array("gram", (self.s.n, self.s.n)), self.gram_room)
        fill(self.cross, fields.array("cross", (self.s.n, n)), self.memory_)

    def memory(self):
        own = 2 * self.recent.room + self.gram_room * (self.gram_room + self.memory_ + 1)
        return FixedBudgetMachine.memory(self) + self.recent.memory() + 8 * own
