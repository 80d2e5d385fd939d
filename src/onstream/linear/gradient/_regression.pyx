"""Linear, logistic and softmax regression by stochastic gradients: the updates."""

from libc.math cimport INFINITY, exp

from ...core.example cimport OVERFLOW, Example, sqnorm
from ...core.rules.schedule cimport Schedule, make_schedule, rate_at
from ...core.scores cimport sigmoids, softmax
from ...core.weights cimport add, add_columns
from .._state cimport LinearClassifierState, LinearRegressorState
from .divergence cimport Divergence, diverges

from ...core.doubts import DIVERGES


cdef double LOGISTIC_CURVATURE = 0.25  # the largest second derivative of the logistic loss


cdef inline double damped(double rate, const Example* e, double curvature) noexcept nogil:
    """The rate of a step that no row of features, however long, can make overshoot: that of the
    proximal point of a parabola with this curvature (Kulis & Bartlett, ICML 2010)."""
    return rate / (1.0 + rate * curvature * (1.0 + sqnorm(e)))


cdef class LeastSquaresState(LinearRegressorState):
    cdef Schedule schedule
    cdef bint normalized
    cdef Divergence divergence

    def __init__(
        self, bint intercept, str schedule, double eta, double power, double l2, bint normalized,
        *, bint relative=False,
    ):
        self.schedule = make_schedule(schedule, eta, power, l2)
        self.normalized = normalized

    def minds_scales(self):
        return not self.normalized

    def doubt(self):
        self.doubtful = False
        return "diverges", DIVERGES

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double norm
        if not self.relative and diverges(&self.divergence, e.y, prediction):
            self.doubtful = True
        if self.normalized:
            norm = 1.0 + sqnorm(e)
            if norm == INFINITY:
                return OVERFLOW
            rate /= norm
        elif self.relative:
            rate = damped(rate * e.weight, e, 1.0) / e.weight
        # w = (1 - rate l2) w + rate x (y - w.x) (Widrow & Hoff, 1960)
        return add(self.w, e, rate * e.weight * (e.y - prediction), 1.0 - rate * self.schedule.l2)


cdef class LogisticState(LinearClassifierState):
    cdef Schedule schedule
    cdef double step_factor  # of a step with two labels: the number of rows that it moves
    cdef bint damps

    def __init__(
        self, bint intercept, str schedule, double eta, double power, double l2, double step_factor,
        bint damps=False,
    ):
        self.schedule = make_schedule(schedule, eta, power, l2)
        self.step_factor = step_factor
        self.damps = damps

    def minds_scales(self):
        return True

    cdef int update_one(self, const Example* e, double f) noexcept nogil:
        cdef double odds = exp(e.y * f)  # first, so that nothing has to be kept meanwhile
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1)
        cdef double shrink = 1.0 - rate * self.schedule.l2
        cdef double step = self.step_factor * (rate * e.weight)
        if self.damps:
            step = damped(step, e, LOGISTIC_CURVATURE)
        # w = (1 - rate l2) w + rate (y - p) x (Cox, 1958); y / (1 + odds) is y - p for y = 1 and y = 0
        return add(self.w, e, step * e.y / (1.0 + odds), shrink)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate, shrink
        cdef Py_ssize_t r
        if self.w.k == 1:
            return self.update_one(e, f[0])
        rate = rate_at(&self.schedule, self.seen - self.start + 1)
        shrink = 1.0 - rate * self.schedule.l2
        rate *= e.weight
        if self.damps:
            rate = damped(rate, e, LOGISTIC_CURVATURE)
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
