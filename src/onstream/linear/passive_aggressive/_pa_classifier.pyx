"""Passive-aggressive classification: the update."""

from libc.math cimport INFINITY

from ...core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ...core.rules.pa cimport StepSize, step_size
from ...core.scores cimport best_wrong
from ...core.weights cimport add, add_pair
from .._state cimport LinearClassifierState


cdef class PAState(LinearClassifierState):
    cdef double C
    cdef StepSize step  # from loss and squared length to the step

    def __init__(self, bint intercept, str variant, double C):
        self.C = C
        self.step = step_size(variant)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = self.C * e.weight, loss, norm
        cdef int q = 0
        # Hinge loss of the margin (2.1); with more labels over the best-scored wrong one (2.4).
        if self.w.k == 1:
            loss = 1.0 - e.y * f[0]
        else:
            q = best_wrong(f, e.label, self.w.k)
            loss = 1.0 - (f[e.label] - f[q])
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e) + self.w.intercept
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        # w += tau y x; of two rows each moves, so the squared length counts twice.
        if self.w.k == 1:
            return add(self.w, e, e.y * self.step(loss, norm, C), 1.0)
        return add_pair(self.w, e, e.label, q, self.step(loss, 2.0 * norm, C), 1.0)
