"""The delta rule of Widrow and Hoff: towards the target, by a fraction of the error."""

from libc.math cimport INFINITY

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.weights cimport add, add_columns
from ._state cimport LinearClassifierState, LinearRegressorState

from ..base.checks import flag, number, positive
from .base import LinearClassifier, LinearRegressor


class DeltaRule(LinearClassifier):
    """Adaline: classification by the delta rule (Widrow & Hoff, IRE WESCON, 1960).

    The labels are the numbers -1 and +1, and w.x is fitted to them by w += eta (y - w.x) x: also
    where the label is right already. With more than two labels each has its own weights, fitted
    to +1 where it is the true one and to -1 where not.

    Parameters
    ----------
    eta : float > 0, default 0.01
        Learning rate. Raise it for speed; at 2 / |x|^2 and beyond it explodes.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : DeltaRule or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = DeltaRule(eta=0.1)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    _share = 1.0

    def __init__(
        self, *, eta=0.01, intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        self.eta = positive(self, "eta", eta, "It is the learning rate; try 0.1 or 0.01.")
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef DeltaState state = DeltaState(self.intercept)
        state.eta, state.share = self.eta, self._share
        return state


cdef class DeltaState(LinearClassifierState):
    cdef double eta

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate = self.eta * e.weight
        cdef Py_ssize_t r
        if self.w.k == 1:
            return add(self.w, e, rate * (e.y - f[0]), 1.0)
        for r in range(self.w.k):
            self.steps[r] = rate * ((1.0 if r == e.label else -1.0) - f[r])
        return add_columns(self.w, e, self.steps, 1.0)


class LMS(LinearRegressor):
    """Least mean squares: regression by the delta rule (Widrow & Hoff, IRE WESCON, 1960).

    After each example w += eta (y - w.x) x; the normalised form (NLMS) divides eta by |x|^2, so
    that the error on x shrinks by the factor 1 - eta whatever the size of x. With eta=1 that is
    `PARegressor(variant="PA", epsilon=0)`. For falling rates and a penalty see
    `LinearRegression`.

    Parameters
    ----------
    eta : float > 0, default 0.01
        Learning rate. Raise it for speed; at 2 / |x|^2 (normalised: 2) and beyond it explodes.
    normalized : bool, default False
        Divide eta by c + |x|^2. Set it where examples differ in size.
    c : float >= 0, default 0.0
        Added to |x|^2 by the normalised form. Raise it where some examples are tiny and noisy.
    intercept : bool, default True
        Append a constant 1 to every example (inside |x|^2); its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : LMS or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = LMS(eta=1.0, normalized=True)
    >>> for _ in range(50):
    ...     for hours in (1.0, 2.0, 3.0):
    ...         model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 4.0}), 2)
    13.0
    """

    def __init__(
        self, *, eta=0.01, normalized=False, c=0.0, intercept=True, hash_bits=None, hash_seed=0,
        init=None, reset_schedule=False,
    ):
        self.eta = positive(self, "eta", eta, "It is the learning rate; try 0.1 or 0.01.")
        self.normalized = flag(self, "normalized", normalized)
        self.c = number(self, "c", c, least=0.0)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef LMSState state = LMSState(self.intercept)
        state.eta, state.normalized, state.c = self.eta, self.normalized, self.c
        return state


cdef class LMSState(LinearRegressorState):
    cdef double eta
    cdef double c
    cdef bint normalized

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double step = self.eta * e.weight * (e.y - prediction), norm
        if self.normalized:
            norm = self.c + sqnorm(e) + self.w.intercept
            if not norm < INFINITY:
                return OVERFLOW
            if norm == 0.0:
                return LEARNED
            step /= norm
        return add(self.w, e, step, 1.0)
