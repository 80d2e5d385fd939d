"""Online least squares: linear regression by stochastic gradient."""

from libc.math cimport INFINITY

from ..core.example cimport OVERFLOW, Example, sqnorm
from ..core.weights cimport add
from ..core.rules.schedule cimport Schedule, make_schedule, rate_at
from ._state cimport LinearRegressorState

from ..base.checks import flag
from .gradient import check_gradient
from .base import LinearRegressor


class LinearRegression(LinearRegressor):
    """Linear regression by stochastic gradient, w += rate * x * (y - w.x) (Widrow & Hoff, 1960).

    One pass costs as much as reading the data. It converges for rates well below 2 / |x|^2;
    where features differ in size, scale them, or set `normalized`. For the exact least-squares
    solution at a higher price see `RLS`.

    Parameters
    ----------
    eta : float > 0, default 0.01
        First learning rate. Raise it for speed, lower it if the error explodes.
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with n: eta, eta * n**-power, eta / (1 + eta * l2 * n), eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l2 : float >= 0, default 0.0
        Pull towards zero weights, per example; the intercept is spared.
    normalized : bool, default False
        Divide the rate by 1 + |x|^2: no example, however large, can make it diverge (eta < 2).
    intercept : bool, default True
        Learn a constant term, shown as `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : LinearRegression or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = LinearRegression(eta=0.1)
    >>> for _ in range(200):
    ...     for hours in (1.0, 2.0, 3.0):
    ...         model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 4.0}), 2)
    13.0
    """

    def __init__(
        self, *, eta=0.01, schedule="constant", power=0.6, l2=0.0, normalized=False,
        intercept=True, hash_bits=None, hash_seed=0, init=None, reset_schedule=False,
    ):
        check_gradient(self, eta, schedule, power, l2)
        self.normalized = flag(self, "normalized", normalized)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef LeastSquaresState state = LeastSquaresState(self.intercept)
        state.schedule = make_schedule(self.schedule, self.eta, self.power, self.l2)
        state.normalized = self.normalized
        return state


cdef class LeastSquaresState(LinearRegressorState):
    cdef Schedule schedule
    cdef bint normalized

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double norm
        if self.normalized:
            norm = 1.0 + sqnorm(e)
            if norm == INFINITY:
                return OVERFLOW
            rate /= norm
        return add(
            self.w, e, rate * e.weight * (e.y - prediction), 1.0 - rate * self.schedule.l2)
