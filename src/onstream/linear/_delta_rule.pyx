"""The delta rule (Widrow & Hoff, 1960): towards the target, by a fraction of the error."""

from libc.math cimport INFINITY

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.weights cimport add, add_columns
from ._state cimport LinearClassifierState, LinearRegressorState


cdef class DeltaState(LinearClassifierState):
    cdef double eta

    def __init__(self, bint intercept, double share, double eta):
        self.share, self.eta = share, eta

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate = self.eta * e.weight
        cdef Py_ssize_t r
        # w += eta (y - w.x) x; with more labels y is +1 in the row of the true one, -1 elsewhere.
        if self.w.k == 1:
            return add(self.w, e, rate * (e.y - f[0]), 1.0)
        for r in range(self.w.k):
            self.steps[r] = rate * ((1.0 if r == e.label else -1.0) - f[r])
        return add_columns(self.w, e, self.steps, 1.0)


cdef class LMSState(LinearRegressorState):
    cdef double eta
    cdef bint normalized
    cdef double c  # added to |x|^2 if normalized

    def __init__(self, bint intercept, double eta, bint normalized, double c):
        self.eta, self.normalized, self.c = eta, normalized, c

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        # w += eta (y - w.x) x; normalized, eta is divided by c + |x|^2.
        cdef double step = self.eta * e.weight * (e.y - prediction), norm
        if self.normalized:
            norm = self.c + sqnorm(e) + self.w.intercept
            if not norm < INFINITY:
                return OVERFLOW
            if norm == 0.0:
                return LEARNED
            step /= norm
        return add(self.w, e, step, 1.0)
