"""Passive-aggressive regression, in its three variants."""

from libc.math cimport INFINITY, copysign, fabs

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.weights cimport add
from ..core.rules.pa cimport StepSize, step_size
from ._state cimport LinearRegressorState

from ..base.checks import number
from .aggressiveness import check_pa
from .base import LinearRegressor


class PARegressor(LinearRegressor):
    """Passive-aggressive regression (Crammer et al., JMLR 7, 2006).

    Passive while the prediction is within epsilon of the target; otherwise it makes the smallest
    change of the weights that brings it there.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when targets are noisy.
    epsilon : float >= 0, default 0.1
        Errors up to this are none. Raise it to the size of the noise.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : PARegressor or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = PARegressor(variant="PA", epsilon=0.5)
    >>> model.learn_one({"hours": 3.0}, 11.0)
    >>> round(model.predict_one({"hours": 3.0}), 9)  # just within epsilon
    10.5
    """

    def __init__(
        self, *, variant="PA-I", C=1.0, epsilon=0.1, intercept=True, hash_bits=None, hash_seed=0,
        init=None, reset_schedule=False,
    ):
        check_pa(self, variant, C)
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef PARegressorState state = PARegressorState(self.intercept)
        state.C, state.epsilon = self.C, self.epsilon
        state.step = step_size(self.variant)
        return state


cdef class PARegressorState(LinearRegressorState):
    cdef double C
    cdef double epsilon
    cdef StepSize step  # from loss and squared length to the step

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double error = e.y - prediction
        cdef double loss = fabs(error) - self.epsilon, norm
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e) + self.w.intercept
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        return add(self.w, e, copysign(self.step(loss, norm, self.C * e.weight), error), 1.0)
