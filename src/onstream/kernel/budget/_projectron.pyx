"""Projectron and Projectron++ (Orabona, Keshet & Caputo, JMLR 10, 2009): examples are projected on
the span of the supports, by the inverse of their Gram matrix."""

from libc.math cimport fabs, sqrt

from ...core.arrays cimport fill, matrix
from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example, onstream_axpy, onstream_dot
from ...core.memory cimport release
from .._supports cimport CompiledKernel, grown, widened
from ._one_vs_rest cimport BudgetMachine

cdef double IN_SPAN = 1e-10  # closer to the span of the supports, relative to K(x, x), is in it


cdef class Inverse:
    """The inverse of the Gram matrix of n supports."""

    def __dealloc__(self):
        release(self.values)
        release(self.d)

    cdef bint fit(self, Py_ssize_t room) noexcept nogil:
        """Make room for `room` supports. False: no memory."""
        if room > self.room:
            if not (
                grown(&self.d, self.room, room)
                and widened(&self.values, self.room, room)
            ):
                return False
            self.room = room
        return True

    cdef void project(self, const double* row, double self_k, Py_ssize_t n) noexcept nogil:
        """d = K_S^-1 k and the squared distance K(x, x) - k.d."""
        cdef Py_ssize_t i
        for i in range(n):
            self.d[i] = onstream_dot(self.values + i * self.room, row, n)
        self.gap = max(0.0, self_k - onstream_dot(row, self.d, n))

    cdef void enlarge(self, Py_ssize_t n) noexcept nogil:
        """The inverse with the projected example as support n: + (d; -1) (d; -1)' / gap."""
        cdef Py_ssize_t i
        for i in range(n):
            onstream_axpy(self.values + i * self.room, self.d, self.d[i] / self.gap, n)
            self.values[i * self.room + n] = self.values[n * self.room + i] = -self.d[i] / self.gap
        self.values[n * self.room + n] = 1.0 / self.gap

    def export(self, n):
        return {"inverse": matrix(self.values, n, n, self.room)}

    def restore(self, fields, n):
        fill(self.values, fields.array("inverse", (n, n)), self.room)

    def memory(self):
        return 8 * (self.room * self.room + self.room)


cdef class ProjectronMachine(BudgetMachine):
    """A mistake whose example is nearly in the span of the supports only changes coefficients."""

    cdef Inverse inverse
    cdef double eta
    cdef bint plus         # also learn from small margins
    cdef bint adds         # planned: it becomes a support; otherwise tau is for its projection

    def __cinit__(self, CompiledKernel compiled, budget, double eta, bint plus):
        self.inverse = Inverse()
        self.eta, self.plus = eta, plus

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        return BudgetMachine.grow(self, supports, e) and self.inverse.fit(self.room)

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef double m = y * f, loss = 1.0 - m, p, gap
        cdef Py_ssize_t i
        if m > 0.0 and not (self.plus and loss > 0.0):
            return LEARNED
        self.inverse.project(self.row, self.self_k, self.s.n)
        if m > 0.0:  # Projectron++ on a small margin: tau = min(l / p, 2 (l - gap) / p, 1), p = |Pk|^2
            p = self.self_k - self.inverse.gap
            gap = sqrt(self.inverse.gap) / self.eta
            if not (p > 0.0 and loss > gap and self.s.n):
                return LEARNED
            self.tau = y * e.weight * min(min(loss / p, 2.0 * (loss - gap) / p), 1.0)
            self.adds = False
        else:  # a mistake: farther than eta from the span, it becomes a support
            self.tau = y * e.weight
            self.adds = sqrt(self.inverse.gap) > self.eta and self.inverse.gap > IN_SPAN * self.self_k
            if self.budget and self.s.n == self.budget:
                self.adds = False
        if self.adds:
            if not (fabs(self.tau) < SAFE and 1.0 / self.inverse.gap < SAFE):
                return OVERFLOW
            if not self.make_room(e):
                return NO_MEMORY
        for i in range(self.s.n):
            if not (fabs(self.a[i] + self.tau * self.inverse.d[i]) < SAFE and fabs(self.inverse.d[i]) < SAFE):
                return OVERFLOW
        self.pending = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        if not self.adds:  # a += tau d
            onstream_axpy(self.a, self.inverse.d, self.tau, self.s.n)
            return
        self.inverse.enlarge(self.s.n)
        self.place(self.s.n, e, self.tau)

    cdef void renew(self) noexcept nogil:
        """The inverse, support by support; one that is now nearly in the span of those before it is
        taken as far from it as it must be."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.s.row_of(i, self.other)
            self.inverse.project(self.other, self.s.self_k[i], i)
            self.inverse.gap = max(self.inverse.gap, IN_SPAN * self.s.self_k[i])
            self.inverse.enlarge(i)

    def export(self):
        return {**BudgetMachine.export(self), **self.inverse.export(self.s.n)}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        self.inverse.restore(fields, self.s.n)

    def memory(self):
        return BudgetMachine.memory(self) + self.inverse.memory()
