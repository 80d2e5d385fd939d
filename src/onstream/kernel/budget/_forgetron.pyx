"""On a mistake all coefficients shrink, so that dropping the oldest support does little harm."""

from libc.math cimport fabs, log, pow, sqrt
from libc.stdint cimport int64_t

from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example
from .._expansion cimport kernel_sum
from .._one_vs_rest cimport Machine
from .._supports cimport Program


cdef class ForgetronMachine(Machine):
    """A mistake makes the example a support; full: the oldest goes. Slots are a ring."""

    cdef int64_t oldest
    cdef double phi        # planned: factor for all supports,
    cdef double step       # and coefficient of the new one

    cdef bint shrink(self, double f) noexcept nogil:
        """Plan `phi`, and what it does to the step. False: a number would be too large or too small."""
        return True

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        if y * f > 0.0:
            return LEARNED
        self.step = y * e.weight
        if not fabs(self.step) < SAFE:
            return OVERFLOW
        if not self.grow(min(self.s.n + 1, self.budget), e):
            return NO_MEMORY
        if not self.shrink(f):
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


cdef class SelfTunedForgetron(ForgetronMachine):
    """Shrink all coefficients just enough that dropping the oldest does no harm that is not paid for
    (Dekel, Shalev-Shwartz & Singer)."""

    cdef int64_t mistakes  # M
    cdef double damage     # Q
    cdef double cost       # planned: what Q grows by

    cdef bint shrink(self, double f) noexcept nogil:
        cdef double sigma, mu, a, b, c
        cdef Py_ssize_t r = self.oldest
        self.phi, self.cost = 1.0, 0.0
        if self.s.n < self.budget:
            return True
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
        self.step *= self.phi
        return fabs(self.damage + self.cost) < SAFE and self.phi > 0.0

    cdef void commit(self, const Example* e) noexcept nogil:
        self.mistakes += 1
        self.damage += self.cost
        ForgetronMachine.commit(self, e)

    def export(self):
        return {**ForgetronMachine.export(self), "mistakes": self.mistakes, "damage": self.damage}

    def restore(self, fields, width, who):
        ForgetronMachine.restore(self, fields, width, who)
        self.mistakes = fields.integer("mistakes", 0)
        self.damage = fields.number("damage")


cdef class BasicForgetron(ForgetronMachine):
    """Shrink on every mistake, by a constant and so far that |f| stays below U."""

    cdef double square     # |f|²
    cdef double after      # planned: the same afterwards

    cdef bint shrink(self, double f) noexcept nogil:
        cdef double B = self.budget + 1.0, square, at_oldest, a
        cdef Py_ssize_t r = self.oldest
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
        self.step *= self.phi
        self.after = square
        return square < SAFE and self.phi > 0.0

    cdef void commit(self, const Example* e) noexcept nogil:
        self.square = self.after
        ForgetronMachine.commit(self, e)

    def export(self):
        return {**ForgetronMachine.export(self), "square": self.square}

    def restore(self, fields, width, who):
        ForgetronMachine.restore(self, fields, width, who)
        self.square = fields.number("square", 0.0)


cdef class SimpleForgetron(ForgetronMachine):
    """Shrink the others by a constant, drop the oldest, add the new one unshrunk."""

    def __cinit__(self, Program program, budget, double phi):
        self.phi = phi
