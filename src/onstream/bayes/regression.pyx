"""Bayesian linear regression: the posterior of the weights becomes the prior of the next example."""

from libc.float cimport DBL_MAX
from libc.math cimport fabs, ldexp
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport data_of
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

from ..base.checks import flag, number
from ..base.errors import NotMergeable
from ..base.regressor import Regressor
from .distribution import Normal
from ..base.union import all_names
from .merging import merge_posteriors


cdef enum:
    SHIFT = 520  # a number * 2**-520, and another: their product cannot overflow


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
    _model_class = PosteriorModel

    def __init__(self, *, lam=1.0, noise=1.0, intercept=True, init=None, reset_schedule=False):
        self.lam = number(self, "lam", lam, least=1e-100, most=1e100)
        self.noise = number(self, "noise", noise, least=1e-100, most=1e100)
        self.intercept = flag(self, "intercept", intercept)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef PosteriorState state = PosteriorState()
        state.lam, state.noise, state.P = self.lam, self.noise, Covariance(self.intercept)
        return state

    def predict_dist_one(self, x):
        """The distribution of the target of `x`: a `Normal` with `mean`, `variance` and `std`."""
        return Normal(*self._model.distribution(x))

    @property
    def weights(self):
        """Feature to the mean of its weight."""
        fields = self._model.snapshot()
        return dict(zip(all_names(fields), fields["m"][int(self.intercept):].tolist(), strict=True))

    @property
    def bias(self):
        """Mean of the intercept."""
        return float(self._model.snapshot()["m"][0]) if self.intercept else 0.0

    @property
    def covariance(self):
        """Covariance of the weights (d x d, in the order of `weights`, the intercept first)."""
        return self.noise * self._model.snapshot()["P"]

    def _merged(self, mine, theirs):
        try:
            return merge_posteriors(mine, theirs, self.lam, self.intercept)
        except np.linalg.LinAlgError:
            raise NotMergeable(
                "BayesianLinearRegression: the covariance is singular, since features differ too "
                "much in size; scale them."
            ) from None


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


cdef class PosteriorState(State):
    cdef double lam
    cdef double noise
    cdef double* m        # mean of the weights, the intercept first
    cdef Py_ssize_t room  # of them fit
    cdef Covariance P     # covariance of the weights / noise

    def __cinit__(self, *args):
        self.m = NULL
        self.room = 0

    def __dealloc__(self):
        release(self.m)

    cdef int reserve(self, Py_ssize_t width) except -1:
        self.P.reserve(width)
        if self.P.room > self.room:
            self.m = <double*> resize(self.m, self.room * sizeof(double), self.P.room * sizeof(double))
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
        """u = P x; gain w u / (1 + w x.u); m += gain (y - m.x); P -= gain u'."""
        cdef double xu = self.P.multiply(e)
        cdef double c = self.P.gain(xu, 1.0, e.weight)
        cdef double step = c * (e.y - self.P.along(e, self.m))
        if not self.P.can_shrink(xu, c, step, onstream_peak(self.m, self.P.d)):
            return OVERFLOW
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
        m = np.empty(self.P.d)
        if self.P.d:
            memcpy(data_of(m), self.m, self.P.d * sizeof(double))
        return {"m": m, "P": self.P.export()}

    def restore_own(self, fields):
        d = self.features.width + self.P.offset
        m = np.ascontiguousarray(fields.array("m", (d,)))
        self.reserve(self.features.width)
        self.P.restore(fields.array("P", (d, d)))
        if self.P.d:
            memcpy(self.m, data_of(m), self.P.d * sizeof(double))

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
