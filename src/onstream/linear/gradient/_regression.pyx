"""Linear, logistic and softmax regression by stochastic gradients: the updates."""

from libc.math cimport INFINITY, exp

from ...core.example cimport OVERFLOW, Example, sqnorm
from ...core.rules.schedule cimport Schedule, make_schedule, rate_at
from ...core.scores cimport sigmoids, softmax
from ...core.weights cimport add, add_columns
from .._state cimport LinearClassifierState, LinearRegressorState


cdef class LeastSquaresState(LinearRegressorState):
    cdef Schedule schedule
    cdef bint normalized

    def __init__(self, bint intercept, str schedule, double eta, double power, double l2, bint normalized):
        self.schedule = make_schedule(schedule, eta, power, l2)
        self.normalized = normalized

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double norm
        if self.normalized:
            norm = 1.0 + sqnorm(e)
            if norm == INFINITY:
                return OVERFLOW
            rate /= norm
        # w = (1 - rate l2) w + rate x (y - w.x) (Widrow & Hoff, 1960)
        return add(self.w, e, rate * e.weight * (e.y - prediction), 1.0 - rate * self.schedule.l2)


cdef class LogisticState(LinearClassifierState):
    cdef Schedule schedule
    cdef double step_factor  # of a step with two labels: the number of rows that it moves

    def __init__(
        self, bint intercept, str schedule, double eta, double power, double l2, double step_factor,
    ):
        self.schedule = make_schedule(schedule, eta, power, l2)
        self.step_factor = step_factor

    cdef int update_one(self, const Example* e, double f) noexcept nogil:
        cdef double odds = exp(e.y * f)  # first, so that nothing has to be kept meanwhile
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double shrink = 1.0 - rate * self.schedule.l2
        # w = (1 - rate l2) w + rate (y - p) x (Cox, 1958); y / (1 + odds) is y - p for y = 1 and y = 0
        return add(self.w, e, self.step_factor * (rate * e.weight) * e.y / (1.0 + odds), shrink)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate, shrink
        cdef Py_ssize_t r
        if self.w.k == 1:
            return self.update_one(e, f[0])
        rate = rate_at(&self.schedule, self.seen - self.start + 1)
        shrink = 1.0 - rate * self.schedule.l2
        rate *= e.weight
        # W_r = (1 - rate l2) W_r + rate ([r = y] - p_r) x (Cox, 1966)
        softmax(f, self.steps, self.w.k)
        for r in range(self.w.k):
            self.steps[r] = rate * ((r == e.label) - self.steps[r])
        return add_columns(self.w, e, self.steps, shrink)

    cdef void link(self, const double* f, double* out) noexcept nogil:
        if self.w.k == 1:
            sigmoids(f[0], self.first_sign, out)
        else:
            softmax(f, out, self.w.k)
