"""Logistic regression by stochastic gradient; softmax regression beyond two labels."""

from libc.math cimport exp

from ..core.example cimport Example
from ..core.scores cimport sigmoids, softmax
from ..core.weights cimport add, add_columns
from ..core.rules.schedule cimport Schedule, make_schedule, rate_at
from ._state cimport LinearClassifierState

from ..base.classifier import ProbabilisticClassifier
from .gradient import check_gradient
from .base import LinearClassifier


class LogisticRegression(LinearClassifier, ProbabilisticClassifier):
    """Logistic regression by stochastic gradient ascent of the log-likelihood (Cox, 1958).

    After each example the weights move by eta * ((y - p) * x - l2 * w), where p is the probability
    it was given; the intercept is not regularised. A third label turns it into softmax
    regression; what it knew of the first two stays.

    Parameters
    ----------
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with n: eta, eta * n**-power, eta / (1 + eta * l2 * n), eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l2 : float >= 0, default 0.0
        Pull towards zero weights, per example. Raise it against overfitting.
    intercept : bool, default True
        Learn a constant term, shown as `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : LogisticRegression or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = LogisticRegression()
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> round(model.predict_proba_one({"free": 1})["spam"], 2)
    0.9
    """

    _pace = 1.0  # how many rows a step with two labels moves

    def __init__(
        self, *, eta=0.1, schedule="constant", power=0.6, l2=0.0, intercept=True, hash_bits=None,
        hash_seed=0, labels=None, max_labels=10_000, init=None, reset_schedule=False,
    ):
        check_gradient(self, eta, schedule, power, l2)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef LogisticState state = LogisticState(self.intercept)
        state.schedule = make_schedule(self.schedule, self.eta, self.power, self.l2)
        state.pace = self._pace
        return state


cdef class LogisticState(LinearClassifierState):
    cdef Schedule schedule
    cdef double pace

    cdef int update_one(self, const Example* e, double f) noexcept nogil:
        cdef double odds = exp(e.y * f)  # first, so that nothing has to be kept meanwhile
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double shrink = 1.0 - rate * self.schedule.l2
        # y - p, for y = 1 and y = 0 alike
        return add(self.w, e, self.pace * (rate * e.weight) * e.y / (1.0 + odds), shrink)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate, shrink
        cdef Py_ssize_t r
        if self.w.k == 1:
            return self.update_one(e, f[0])
        rate = rate_at(&self.schedule, self.seen - self.start + 1)
        shrink = 1.0 - rate * self.schedule.l2
        rate *= e.weight
        softmax(f, self.steps, self.w.k)
        for r in range(self.w.k):
            self.steps[r] = rate * ((r == e.label) - self.steps[r])
        return add_columns(self.w, e, self.steps, shrink)

    cdef void link(self, const double* f, double* out) noexcept nogil:
        if self.w.k == 1:
            sigmoids(f[0], self.first_sign, out)
        else:
            softmax(f, out, self.w.k)
