"""The Forgetron (Dekel, Shalev-Shwartz & Singer, SIAM J. Comput. 37, 2008): on a mistake all
coefficients shrink, so that dropping the oldest support does little harm. The words used here (`a`,
`row`, `place`, `f_at`, ...) are in _one_vs_rest.pxd."""

from libc.math cimport fabs, log, pow, sqrt
from libc.stdint cimport int64_t

from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example
from .._supports cimport CompiledKernel
from ._one_vs_rest cimport BudgetMachine


cdef class ForgetronMachine(BudgetMachine):
    """A mistake makes the example a support; full: the oldest goes. Slots are a ring."""

    cdef int64_t oldest
    cdef double phi        # planned: factor for all supports

    cdef bint shrink(self, double f) noexcept nogil:
        """Plan `phi`, and what it does to tau. False: a number would be too large or too small."""
        return True

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        if y * f > 0.0:
            return LEARNED
        self.tau = y * e.weight
        if not fabs(self.tau) < SAFE:
            return OVERFLOW
        if not self.make_room(e):
            return NO_MEMORY
        if not self.shrink(f):
            return OVERFLOW
        self.pending = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, slot = self.s.n
        if self.s.n == self.budget:
            slot = self.oldest
            self.oldest = (slot + 1) % self.budget
        for i in range(self.s.n):
            self.a[i] *= self.phi
        self.place(slot, e, self.tau)

    def export(self):
        return {**BudgetMachine.export(self), "oldest": self.oldest}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)


cdef class SelfTunedForgetron(ForgetronMachine):
    """Shrink just enough that the damage Q of all removals stays within 15/32 of the mistakes M."""

    cdef int64_t mistakes  # M
    cdef double damage     # Q
    cdef double cost       # planned: Psi, by which Q grows

    cdef bint shrink(self, double f) noexcept nogil:
        cdef double sigma, mu, a, b, c
        cdef Py_ssize_t r = self.oldest
        self.phi, self.cost = 1.0, 0.0
        if self.s.n < self.budget:
            return True
        # sigma_r = |a_r|; mu = y_r f'(x_r), where f' has the new support.
        sigma = fabs(self.a[r])
        mu = self.f_at(r) + self.tau * self.row[r]
        if self.a[r] < 0.0:
            mu = -mu
        # The largest phi with Psi(sigma phi, mu phi) + Q <= 15/32 M, in closed form.
        a, b, c = sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma, self.damage - 15.0 / 32.0 * (self.mistakes + 1)
        if a + b + c > 0.0:
            self.phi = min(1.0, -2.0 * c / (b + sqrt(max(0.0, b * b - 4.0 * a * c))))
        # Psi(lambda, mu) = lambda^2 + 2 lambda - 2 lambda mu; the new support shrinks, too.
        sigma, mu = self.phi * sigma, self.phi * mu
        self.cost = sigma * sigma + 2.0 * sigma - 2.0 * sigma * mu
        self.tau *= self.phi
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
    """Shrink on every mistake, by a constant, and so far that |f| <= U = sqrt(B / log B) / 4."""

    cdef double square     # |f|^2
    cdef double after      # planned: the same afterwards

    cdef bint shrink(self, double f) noexcept nogil:
        cdef double B = self.budget + 1.0, square, at_oldest, a
        cdef Py_ssize_t r = self.oldest
        # |f'|^2 = |f|^2 + 2 y f(x) + K(x, x), then phi = min(B^(-1 / 2B), U / |f'|)
        square = max(0.0, self.square + 2.0 * self.tau * f + self.tau * self.tau * self.self_k)
        self.phi = pow(B, -1.0 / (2.0 * B))
        if square > 0.0:
            self.phi = min(self.phi, 0.25 * sqrt(B / log(B)) / sqrt(square))
        square *= self.phi * self.phi
        # Without the oldest: - 2 a_r f'(x_r) + a_r^2 K(x_r, x_r)
        if self.s.n == self.budget:
            at_oldest = self.phi * (self.f_at(r) + self.tau * self.row[r])
            a = self.phi * self.a[r]
            square = max(0.0, square - 2.0 * a * at_oldest + a * a * self.s.self_k[r])
        self.tau *= self.phi
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

    def __cinit__(self, CompiledKernel compiled, budget, double phi):
        self.phi = phi
