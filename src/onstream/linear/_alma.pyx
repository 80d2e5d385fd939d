"""The approximate large margin algorithm: the update."""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.scores cimport margin
from ._state cimport LinearClassifierState, raise_margin


cdef class ALMAState(LinearClassifierState):
    cdef double alpha
    cdef double B
    cdef double C
    cdef readonly int64_t updates  # corrections so far: k - 1
    cdef double sqnorm             # |w|^2 with the intercept, at most 1; of rows, twice their sum

    def __init__(self, bint intercept, double alpha, double B, double C):
        self.alpha, self.B, self.C = alpha, B, C
        self.w.appended = True

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double root = sqrt(<double> (self.updates + 1))
        cdef double length = sqrt(sqnorm(e) + self.w.intercept)
        cdef double lead, step, grown, norm
        cdef int q = 0, status
        if not length < INFINITY:
            return OVERFLOW
        if length == 0.0:
            return LEARNED
        # The margin of x / |x|. Rows are taken times sqrt(2), as one long vector: the first two are
        # then as long as the w that they come from (-w/2 and +w/2), with the same margins.
        lead = margin(e, f, self.w.k, &q) / length
        if lead > (1.0 - self.alpha) * self.B / root:  # gamma_k = B / sqrt(k)
            return LEARNED
        # w' = w + eta_k y x / |x| with eta_k = C / sqrt(k); then w = w' / max(1, |w'|).
        step = e.weight * self.C / root
        grown = self.sqnorm + 2.0 * step * lead + step * step
        if not grown < INFINITY:
            return OVERFLOW
        norm = sqrt(max(1.0, grown))
        status = raise_margin(self.w, e, q, step / (length * norm), 1.0 / norm)
        if status == LEARNED:
            self.sqnorm = min(1.0, max(0.0, grown))
            self.updates += 1
        return status

    def reset_schedule(self):
        LinearClassifierState.reset_schedule(self)
        self.updates = 0

    def export_own(self):
        return {**LinearClassifierState.export_own(self), "updates": self.updates, "sqnorm": self.sqnorm}

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.updates = fields.integer("updates", 0, self.seen)
        self.sqnorm = fields.number("sqnorm", 0.0, 1.0)
