"""Bayesian linear regression: the posterior of the weights becomes the prior of the next example."""

cimport numpy as cnp
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from ..core.door cimport KNOWN, Row
from ..core.example cimport (
    LEARNED, OVERFLOW, Example, onstream_axpy, onstream_dot, onstream_gather_dot, onstream_peak, sqnorm,
)
from ..core.memory cimport release, resize, roomier
from ..core.state cimport RegressorState

from ..base.checks import flag, number
from ..base.errors import NotMergeable
from ..base.learner import Regressor
from .distribution import Normal
from .merging import merge_posteriors, names_of

cnp.import_array()

cdef double SAFE = 1e300


class BayesianLinearRegression(Regressor):
    """Linear regression that knows how sure it is (Bishop, Pattern Recognition, 2006, 3.3).

    The weights have a normal prior of variance noise / lam, the targets normal noise. After each
    example the posterior of the weights is exact: its mean is that of ridge regression, and
    `predict_dist_one` gives the whole distribution of a target. Work and memory grow with the
    square of the number of features.

    Parameters
    ----------
    lam : float > 0, default 1.0
        Ridge penalty: noise over the prior variance of a weight. Lower it to trust the data sooner.
    noise : float > 0, default 1.0
        Variance of the noise of the targets. It scales all variances, and no prediction.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    init : BayesianLinearRegression or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = BayesianLinearRegression(lam=1e-6, noise=0.01)
    >>> for hours in (1.0, 2.0, 3.0):
    ...     model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> near, far = (model.predict_dist_one({"hours": hours}) for hours in (2.0, 20.0))
    >>> round(near.mean, 2), round(far.mean, 2)
    (9.0, 45.0)
    >>> far.std > 5 * near.std
    True
    """

    merge_kind = "exact"

    def __init__(self, *, lam=1.0, noise=1.0, intercept=True, init=None, reset_schedule=False):
        self.lam = number(self, "lam", lam, least=1e-100, most=1e100)
        self.noise = number(self, "noise", noise, least=1e-100, most=1e100)
        self.intercept = flag(self, "intercept", intercept)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef PosteriorState state = PosteriorState("BayesianLinearRegression", None, 0)
        state.lam, state.noise, state.offset = self.lam, self.noise, self.intercept
        return state

    def predict_dist_one(self, x):
        """The distribution of the target of `x`: a `Normal` with `mean`, `variance` and `std`."""
        return Normal(*(<PosteriorState> self._state).distribution(x))

    @property
    def weights(self):
        """Feature to the mean of its weight."""
        fields = self._state.snapshot()
        return dict(zip(names_of(fields), fields["m"][int(self.intercept):].tolist(), strict=True))

    @property
    def bias(self):
        """Mean of the intercept."""
        return float(self._state.snapshot()["m"][0]) if self.intercept else 0.0

    @property
    def covariance(self):
        """Covariance of the weights (d x d, in the order of `weights`, the intercept first)."""
        return self.noise * self._state.snapshot()["P"]

    def _merged(self, mine, theirs):
        try:
            return merge_posteriors(mine, theirs, self.lam, self.intercept)
        except np.linalg.LinAlgError:
            raise NotMergeable(
                "BayesianLinearRegression: the covariance is singular, since features differ too "
                "much in size; scale them."
            ) from None


cdef class PosteriorState(RegressorState):
    cdef double lam
    cdef double noise
    cdef Py_ssize_t offset  # 1 if there is an intercept: it stands first
    cdef Py_ssize_t d       # rows in use
    cdef Py_ssize_t room    # rows that fit
    cdef double* m          # mean of the weights
    cdef double* P          # room x room, symmetric: covariance of the weights / noise
    cdef double* u          # P x
    cdef double* g          # gain, or a scaled copy of u

    def __cinit__(self, *args):
        self.d = self.room = 0
        self.m = self.P = self.u = self.g = NULL

    def __dealloc__(self):
        release(self.m)
        release(self.P)
        release(self.u)
        release(self.g)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, needed = width + self.offset, i, old = self.room * sizeof(double)
        cdef double* P
        if needed <= self.room:
            return 0
        room = needed if self.room == 0 else roomier(self.room, needed)
        self.m = <double*> resize(self.m, old, room * sizeof(double))
        self.u = <double*> resize(self.u, old, room * sizeof(double))
        self.g = <double*> resize(self.g, old, room * sizeof(double))
        P = <double*> resize(NULL, 0, room * room * sizeof(double))
        for i in range(self.d):
            memcpy(P + i * room, self.P + i * self.room, self.d * sizeof(double))
        release(self.P)
        self.P, self.room = P, room
        return 0

    cdef void extend(self, Py_ssize_t d) noexcept nogil:
        """d rows in use; a new one is as if its feature had been 0 so far. Or back to fewer."""
        while self.d < d:
            self.P[self.d * self.room + self.d] = 1.0 / self.lam
            self.d += 1
        while self.d > d:
            self.d -= 1
            self.P[self.d * self.room + self.d] = 0.0

    cdef double along(self, const Example* e, const double* v) noexcept nogil:
        """v.x, the intercept included."""
        cdef double sum
        if e.ids == NULL:
            sum = onstream_dot(v + self.offset, e.values, e.n)
        else:
            sum = onstream_gather_dot(v + self.offset, e.ids, e.values, e.n)
        return sum + (v[0] if self.offset else 0.0)

    cdef void score(self, const Example* e, double* out) noexcept nogil:
        out[0] = min(max(self.along(e, self.m), -SAFE), SAFE) if self.room else 0.0

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t known = self.d
        self.extend(max(known, e.width + self.offset))
        if self.update(e) != LEARNED:
            self.extend(known)
            return OVERFLOW
        return LEARNED

    cdef int update(self, const Example* e) noexcept nogil:
        """u = P x; gain w u / (1 + w x.u); m += gain (y - m.x); P -= gain u'."""
        cdef Py_ssize_t i, id, d = self.d
        cdef double xu, c, step, biggest, lost
        cdef bint rounded
        for i in range(d):
            self.u[i] = self.P[i] if self.offset else 0.0
        for i in range(e.n):
            id = (e.ids[i] if e.ids != NULL else i) + self.offset
            onstream_axpy(self.u, self.P + id * self.room, e.values[i], d)
        xu = self.along(e, self.u)
        rounded = xu < 0.0  # it cannot be, but for rounding
        xu = max(xu, 0.0)
        c = e.weight / (1.0 + e.weight * xu)
        step = c * (e.y - self.along(e, self.m))
        biggest = onstream_peak(self.u, d)
        if not (xu < SAFE and biggest < SAFE and c * biggest < SAFE
                and onstream_peak(self.m, d) + fabs(step) * biggest < SAFE):
            return OVERFLOW
        for i in range(d):  # P loses c u u': more than there is of it only by rounding
            lost = c * self.u[i] * self.u[i]
            if not lost <= 2.0 * self.P[i * self.room + i]:
                return OVERFLOW
            rounded |= self.P[i * self.room + i] <= lost
        onstream_axpy(self.m, self.u, step, d)
        if rounded:
            self.shrink_safely(e, c, 1.0 / (1.0 + e.weight * xu))
        else:
            self.shrink(c)
        return LEARNED

    cdef void shrink(self, double c) noexcept nogil:
        """P -= c u u'. With g = sqrt(c) u both triangles get the same bits."""
        cdef Py_ssize_t i
        cdef double root = sqrt(c)
        for i in range(self.d):
            self.g[i] = root * self.u[i]
        for i in range(self.d):
            onstream_axpy(self.P + i * self.room, self.g, -self.g[i], self.d)

    cdef void shrink_safely(self, const Example* e, double c, double kept) noexcept nogil:
        """The same in Joseph's form, P = (I - g x') P (I - g x')' + g g' / w, which stays positive
        whatever the rounding. g / w is kept * u."""
        cdef Py_ssize_t i, j
        cdef double v
        cdef double* row
        for i in range(self.d):
            self.g[i] = c * self.u[i]
        for i in range(self.d):
            row = self.P + i * self.room
            onstream_axpy(row, self.u, -self.g[i], self.d)
            v = self.along(e, row)
            onstream_axpy(row, self.g, kept * self.u[i] - v, self.d)
        for i in range(self.d):
            for j in range(i):
                v = 0.5 * (self.P[i * self.room + j] + self.P[j * self.room + i])
                self.P[i * self.room + j] = self.P[j * self.room + i] = v

    cdef distribution(self, x):
        """Mean and variance of the target of x."""
        cdef Row* row
        cdef Example e
        cdef double mean, spread
        x = self.door.plain(x)
        self.gate.to_read()
        self.reserve(self.door.width)
        row = self.door.take(16, 0)
        try:
            self.door.read(x, KNOWN, row, &e)
            self.score(&e, &mean)
            spread = self.spread(&e)
            if e.n < len(x):  # features never met have their prior
                values = np.array(list(x.values()) if isinstance(x, dict) else x, dtype=np.float64)
                spread += max(0.0, values @ values - sqnorm(&e)) / self.lam
        finally:
            self.door.give(row)
        return mean, self.noise * (1.0 + min(max(spread, 0.0), SAFE))

    cdef double spread(self, const Example* e) noexcept:
        """x'P x"""
        cdef Py_ssize_t i, id
        cdef double sum = 0.0
        if self.d == 0:  # nothing learned yet: the prior
            return self.offset / self.lam
        for i in range(e.n):
            id = (e.ids[i] if e.ids != NULL else i) + self.offset
            sum += e.values[i] * self.along(e, self.P + id * self.room)
        return sum + (self.along(e, self.P) if self.offset else 0.0)

    def export(self):
        cdef Py_ssize_t i, j, d = self.door.width + self.offset
        self.reserve(self.door.width)
        self.extend(d)  # a learner without any example has none in use
        P, m = np.empty((d, d)), np.empty(d)
        cdef double* out = <double*> cnp.PyArray_DATA(<cnp.ndarray> P)
        cdef double* mean = <double*> cnp.PyArray_DATA(<cnp.ndarray> m)
        for i in range(d):
            mean[i] = self.m[i]
            memcpy(out + i * d, self.P + i * self.room, d * sizeof(double))
        return {**RegressorState.export(self), "m": m, "P": P}

    def restore(self, fields):
        cdef Py_ssize_t i, d
        RegressorState.restore(self, fields)
        d = self.door.width + self.offset
        m = np.ascontiguousarray(fields.array("m", (d,)))
        P = np.ascontiguousarray(fields.array("P", (d, d)))
        if not np.array_equal(P, P.T):
            raise ValueError("P is not symmetric")
        self.reserve(self.door.width)
        self.extend(d)
        cdef const double* mean = <const double*> cnp.PyArray_DATA(<cnp.ndarray> m)
        cdef const double* told = <const double*> cnp.PyArray_DATA(<cnp.ndarray> P)
        for i in range(d):
            self.m[i] = mean[i]
            memcpy(self.P + i * self.room, told + i * d, d * sizeof(double))

    def memory(self):
        return RegressorState.memory(self) + (self.room + 3) * self.room * sizeof(double)
