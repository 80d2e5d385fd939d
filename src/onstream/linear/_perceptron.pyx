"""Perceptrons: the weights change at mistakes only."""

from libc.stdint cimport int64_t

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport LEARNED, Example
from ..core.scores cimport margin
from ._state cimport LinearClassifierState, raise_margin

from .user_functions import value_at

NAMES = ("beta", "gamma", "alpha")


cdef class PerceptronState(LinearClassifierState):
    cdef tuple parameters           # beta, gamma, alpha: numbers, or functions of t
    cdef object rows                # their values for the next examples, if one is a function
    cdef const double* plan         # three numbers for each row
    cdef int64_t planned            # t of the first row
    cdef object refused             # the error for which the plan ends early
    cdef readonly int64_t updates   # examples that changed the weights
    cdef public object converged    # whether the last `fit` ended without an update; None: no fit yet

    def __init__(self, bint intercept, beta, gamma, alpha):
        self.w.appended = True  # the intercept shrinks like every weight
        self.parameters = (beta, gamma, alpha)
        self.calls_user_code = any(map(callable, self.parameters))
        if not self.calls_user_code:
            self.prepare(1)

    cdef Py_ssize_t prepare(self, Py_ssize_t rows) except -1:
        """Ask the user's functions for the next rows."""
        cdef int64_t t = self.seen - self.start + 1
        plan = []
        self.refused = None
        for i in range(rows):
            try:
                plan.append([value_at(self.who, *one, t + i) for one in zip(NAMES, self.parameters)])
            except Exception as error:
                self.refused = error
                break
        if plan:
            self.rows = np.array(plan)
            self.plan = doubles(self.rows)
            self.planned = t
        return len(plan)

    def refusal(self):
        error, self.refused = self.refused, None  # lets go of the user's objects that it refers to
        return error

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Py_ssize_t now = self.seen - self.start + 1 - self.planned if self.calls_user_code else 0
        cdef double beta = self.plan[3 * now], gamma = self.plan[3 * now + 1]
        cdef double step = self.plan[3 * now + 2] * e.weight
        cdef int q = 0, status
        # If y(w.x) <= beta: w = gamma w + alpha y x.
        if margin(e, f, self.w.k, &q) > beta:
            return LEARNED
        status = raise_margin(self.w, e, q, step, gamma)
        if status == LEARNED:
            self.updates += 1
        return status

    def export_own(self):
        own = {"updates": self.updates, "converged": self.converged}
        return {**LinearClassifierState.export_own(self), **own}

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.updates = fields.integer("updates", 0, self.seen)
        self.converged = fields.flag("converged")


cdef class ShiftingState(LinearClassifierState):
    cdef double lam
    cdef readonly int64_t updates  # k: mistakes since the schedule began

    def __init__(self, bint intercept, double lam):
        self.w.appended = True  # the intercept fades like every weight
        self.lam = lam

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double share = self.lam / (self.lam + self.updates)
        cdef int q = 0, status
        # At a mistake: w = (1 - s) w + s y x with s = lam / (lam + k), then k += 1
        # (Cavallanti et al., 2007).
        if margin(e, f, self.w.k, &q) > 0.0:
            return LEARNED
        status = raise_margin(self.w, e, q, share * e.weight, 1.0 - share)
        if status == LEARNED:
            self.updates += 1
        return status

    def reset_schedule(self):
        LinearClassifierState.reset_schedule(self)
        self.updates = 0

    def export_own(self):
        return {**LinearClassifierState.export_own(self), "updates": self.updates}

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.updates = fields.integer("updates", 0, self.seen)
