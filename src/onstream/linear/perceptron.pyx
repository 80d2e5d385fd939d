"""The perceptron of Rosenblatt (1958), in the general form of the Filice lecture."""

from libc.stdint cimport int64_t

from math import isfinite

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport LEARNED, Example
from ..core.scores cimport best_wrong
from ..core.weights cimport add, add_pair
from ._state cimport LinearClassifierState

from ..base.checks import number, positive, whole
from ..base.parameters import suggest_parameters
from ..base.fit import stream_of
from .base import LinearClassifier
from .user_functions import check_function, number_from


class Perceptron(LinearClassifier):
    """Perceptron (Rosenblatt, Psychological Review 65, 1958): learns from its mistakes only.

    Whenever y(w.x) <= beta it turns towards the example, w = gamma * w + alpha * y * x. With more
    than two labels the true label's weights gain half of that step and the best-scored wrong
    label's lose it. On separable data it makes at most (R |u|)^2 mistakes, whatever the order.

    Parameters
    ----------
    beta : number or function of t, default 0.0
        Margin below which it learns. Raise it to learn from examples that are barely right, too.
    gamma : number or function of t, default 1.0
        What is kept of the old weights at a mistake. Below 1 it forgets, and follows drift.
    alpha : number > 0 or function of t, default 1.0
        Step. Alone (beta=0, gamma=1) it changes no prediction.
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
    init : Perceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count t from 1 again.

    Functions of t are called with 1 for the first example, 2 for the second, and so on.

    Examples
    --------
    >>> model = Perceptron()
    >>> model.learn_one({"free": 1, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.updates
    2
    """

    def __init__(
        self, *, beta=0.0, gamma=1.0, alpha=1.0, intercept=True, hash_bits=None, hash_seed=0,
        labels=None, max_labels=10_000, init=None, reset_schedule=False,
    ):
        for name, value, check in (("beta", beta, number), ("gamma", gamma, number), ("alpha", alpha, positive)):
            checked = check_function(self, name, value, 1) if callable(value) else check(self, name, value)
            setattr(self, name, checked)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef PerceptronState state = PerceptronState(self.intercept)
        state.w.appended = True
        state.functions = tuple(map(function_of_t, (self.beta, self.gamma, self.alpha)))
        state.calls_user_code = any(map(callable, (self.beta, self.gamma, self.alpha)))
        if not state.calls_user_code:
            state.prepare(1)
        return state

    @property
    def updates(self):
        """How many examples changed the weights."""
        return (<PerceptronState> self._model.readable_state()).updates

    @property
    def converged(self):
        """Did the last `fit` end with a pass without any update? None before any fit."""
        return (<PerceptronState> self._model.readable_state()).converged

    def _merged(self, mine, theirs):
        updates = mine["updates"] + theirs["updates"]
        return {**super()._merged(mine, theirs), "updates": updates, "converged": None}

    @suggest_parameters
    def fit(self, X, y=None, w=None, *, max_epochs=1000, shuffle=False, seed=0):
        """The batch perceptron: pass over `(X, y)` until a pass changes nothing.

        Stops after `max_epochs` passes in any case; `converged` tells which it was. Rows come in
        their own order unless `shuffle` is True; `w` holds the importance of each. Returns the
        learner itself.
        """
        whole(self, "max_epochs", max_epochs, least=1)
        whole(self, "seed", seed, least=0)
        if y is None and max_epochs > 1 and iter(stream_of(self, X)) is X:
            raise TypeError(
                "Perceptron: an iterator can be read once only; fit needs several passes, so pass "
                "something that can be read again, such as a list."
            )
        cdef PerceptronState state
        cdef int64_t before
        converged = False
        for epoch in range(max_epochs):
            before = (<PerceptronState> self._model.state).updates
            LinearClassifier.fit(self, X, y, w=w, epochs=1, shuffle=shuffle, seed=seed + epoch)
            if (<PerceptronState> self._model.state).updates == before:
                converged = True
                break
        state = self._model.state
        state.converged = converged
        return self


NAMES = ("beta", "gamma", "alpha")


def asked(who, name, function, t):
    """What a function of t answers."""
    call = f"{name}(t={t})"
    value = number_from(who, call, function(t))
    if not isfinite(value) or (name == "alpha" and value <= 0.0):
        wanted = "finite and greater than 0" if name == "alpha" else "finite"
        raise ValueError(f"{who}: {call} must be {wanted}, got {value}.")
    return value


def function_of_t(value):
    return value if callable(value) else lambda t: value


cdef class PerceptronState(LinearClassifierState):
    cdef tuple functions         # beta, gamma, alpha as functions of t
    cdef object plans            # their values for the next examples, if one is the user's: rows
    cdef const double* plan      # of three numbers
    cdef int64_t planned         # t of the first row of the plan
    cdef object refused          # why the plan ends where it does
    cdef readonly int64_t updates
    cdef object converged

    cdef Py_ssize_t prepare(self, Py_ssize_t rows) except -1:
        """Ask the user's functions for the next rows."""
        cdef int64_t t = self.seen - self.start + 1
        plan = []
        self.refused = None
        for i in range(rows):
            try:
                plan.append([asked(self.who, name, f, t + i) for name, f in zip(NAMES, self.functions)])
            except Exception as error:
                self.refused = error
                break
        if plan:
            self.plans = np.array(plan)
            self.plan = doubles(self.plans)
            self.planned = t
        return len(plan)

    def refusal(self):
        error, self.refused = self.refused, None  # with it go the user's objects that it holds
        return error

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Py_ssize_t now = self.seen - self.start + 1 - self.planned if self.calls_user_code else 0
        cdef double beta = self.plan[3 * now], gamma = self.plan[3 * now + 1]
        cdef double step = self.plan[3 * now + 2] * e.weight
        cdef int q, status
        if self.w.k == 1:
            if e.y * f[0] > beta:
                return LEARNED
            status = add(self.w, e, e.y * step, gamma)
        else:
            q = best_wrong(f, e.label, self.w.k)
            if f[e.label] - f[q] > beta:
                return LEARNED
            status = add_pair(self.w, e, e.label, q, 0.5 * step, gamma)
        if status == LEARNED:
            self.updates += 1
        return status

    def export_own(self):
        return {
            **LinearClassifierState.export_own(self), "updates": self.updates, "converged": self.converged
        }

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.updates = fields.integer("updates", 0, self.seen)
        self.converged = fields.flag("converged")
