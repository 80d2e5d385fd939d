"""Bayesian linear regression: the posterior of the weights, and its update."""

from libc.float cimport DBL_MAX
from libc.math cimport fabs, ldexp

import numpy as np

from ..core.arrays cimport fill, floats
from ..core.covariance cimport Covariance
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport (
    LEARNED,
    OVERFLOW,
    SAFE,
    Example,
    feature,
    onstream_axpy,
    onstream_peak,
    sqnorm,
)
from ..core.feature_index cimport KNOWN
from ..core.memory cimport release, resize
from ..core.regressor cimport RegressorModel
from ..core.state cimport State
from ..core.widths import too_wide

cdef enum:
    SHIFT = 520  # a number * 2**-520, and another: their product cannot overflow


cdef class PosteriorState(State):
    cdef double lam
    cdef double noise
    cdef Py_ssize_t most  # features it takes; 0: any number
    cdef double* m        # mean of the weights, the intercept first
    cdef Py_ssize_t room  # of them fit
    cdef Covariance P     # covariance of the weights / noise

    def __cinit__(self, bint intercept, double lam, double noise, Py_ssize_t most):
        self.most = most
        self.lam, self.noise, self.P = lam, noise, Covariance(intercept)

    def __dealloc__(self):
        release(self.m)

    cdef int reserve(self, Py_ssize_t width) except -1:
        if 0 < self.most < width:
            raise too_wide(self.who, width, self.most, self.features)
        self.P.reserve(width)
        if self.P.room > self.room:
            self.m = <double*> resize(
                self.m, self.room * sizeof(double), self.P.room * sizeof(double))
            self.room = self.P.room
        return 0

    cdef void extend(self, Py_ssize_t d) noexcept nogil:
        """d rows in use; a new one is as if its feature had been 0 so far. Or back to fewer."""
        self.P.extend(d, 1.0 / self.lam)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double mean = self.P.along(e, self.m) if self.P.room else 0.0
        if not fabs(mean) <= DBL_MAX:  # again in smaller numbers: now only the result can overflow
            mean = ldexp(self.smaller_along(e, self.m), 2 * SHIFT)
        out[0] = min(max(mean, -SAFE), SAFE)
        return LEARNED

    cdef double smaller_along(self, const Example* e, const double* v) noexcept nogil:
        """v.x, the intercept included, with v and x both made smaller."""
        cdef Py_ssize_t i, id
        cdef double sum = ldexp(v[0], -2 * SHIFT) if self.P.offset else 0.0
        for i in range(e.n):
            id = feature(e, i) + self.P.offset
            sum += ldexp(e.values[i], -SHIFT) * ldexp(v[id], -SHIFT)
        return sum

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t known = self.P.d
        self.extend(max(known, e.width + self.P.offset))
        if self.update(e) != LEARNED:
            self.extend(known)
            return OVERFLOW
        return LEARNED

    cdef int update(self, const Example* e) noexcept nogil:
        """v = noise (1 + x'Px): m += Px (y - m.x) / v, P -= Px x'P / v, all over noise."""
        # u = P x; c = w / (1 + w x.u), so that the gain is c u.
        cdef double xu = self.P.multiply(e)
        cdef double c = self.P.gain(xu, 1.0, e.weight)
        cdef double step = c * (e.y - self.P.along(e, self.m))
        if not self.P.can_shrink(xu, c, step, onstream_peak(self.m, self.P.d)):
            return OVERFLOW
        # m += c u (y - m.x), then P -= c u u'.
        onstream_axpy(self.m, self.P.u, step, self.P.d)
        if self.P.rounded:
            self.P.shrink_safely(e, c)
        else:
            self.P.shrink(c)
        return LEARNED

    cdef double spread(self, const Example* e) noexcept:
        """x'P x; the prior, if nothing was learned yet."""
        cdef Py_ssize_t i, id
        cdef double sum
        if self.P.d == 0:
            return self.P.offset / self.lam
        sum = self.P.spread(e)
        if fabs(sum) <= DBL_MAX:
            return sum
        sum = ldexp(self.smaller_along(e, self.P.P), -SHIFT) if self.P.offset else 0.0
        for i in range(e.n):
            id = feature(e, i) + self.P.offset
            sum += ldexp(e.values[i], -SHIFT) * self.smaller_along(e, self.P.P + id * self.P.room)
        return ldexp(sum, 3 * SHIFT)

    def export_own(self):
        self.reserve(self.features.width)
        self.extend(self.features.width + self.P.offset)  # without any example none is in use
        return {"m": floats(self.m, self.P.d), "P": self.P.export()}

    def restore_own(self, fields):
        d = self.features.width + self.P.offset
        m = fields.array("m", (d,))
        self.reserve(self.features.width)
        self.P.restore(fields.array("P", (d, d)))
        fill(self.m, m)

    def memory(self):
        return State.memory(self) + self.P.memory() + self.room * sizeof(double)


cdef class PosteriorModel(RegressorModel):
    """A model that can also say how sure it is."""

    def distribution(self, x):
        """Mean and variance of the target of x."""
        cdef PosteriorState state
        cdef Encoder encoder
        cdef RowBuffer* row
        cdef Example e
        cdef double mean, spread
        x = self.encoder.coerce(x)
        self.lock.wait_readable()
        state, encoder = self.state, self.encoder
        self.reserve(encoder.width)
        row = encoder.acquire_row(16, 0)
        try:
            encoder.read(x, KNOWN, row, &e)
            state.score(&e, &mean)
            spread = state.spread(&e)
            if e.n < len(x):  # features never met have their prior
                values = np.array(list(x.values()) if isinstance(x, dict) else x, dtype=np.float64)
                spread += max(0.0, unknown_square(values, &e)) / state.lam
        finally:
            encoder.release_row(row)
        return mean, state.noise * (1.0 + min(max(spread, 0.0), SAFE))


cdef double unknown_square(values, const Example* e) except? -1.0:
    """The sum of squares of the values that are not in the example."""
    cdef double size, total = 0.0, known = sqnorm(e)
    with np.errstate(over="ignore"):
        total = float(values @ values)
    if total <= DBL_MAX:
        return total - known
    size = np.abs(values).max()
    known = sum([(e.values[i] / size) ** 2 for i in range(e.n)])
    values = values / size
    return (float(values @ values) - known) * size * size
