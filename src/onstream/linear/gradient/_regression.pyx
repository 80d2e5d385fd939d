"""Linear, logistic and softmax regression by stochastic gradients: the updates."""

from libc.math cimport INFINITY, exp

import numpy as np

from ...core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ...core.memory cimport release, resize
from ...core.rules.schedule cimport Schedule, make_schedule, rate_at
from ...core.scores cimport sigmoids, softmax
from ...core.weights cimport add, add_columns
from .._state cimport LinearClassifierState, LinearRegressorState
from .divergence cimport Divergence, diverges

from ...core.doubts import DIVERGES


cdef double LOGISTIC_CURVATURE = 0.25  # the largest second derivative of the logistic loss

cdef double HARDLY = 0.95     # of the loss of the shares of labels: a loss above is no success
cdef double TOO_LITTLE = 0.1   # a loss of the shares below cannot be judged by
cdef double HORIZON = 200.0   # examples that a loss is averaged over
cdef double SLOWER = 0.002    # of the past of the shares, with every example
cdef double LEAST_CARE = 0.03


cdef inline double damped(double rate, double squares, double curvature) noexcept nogil:
    """The rate of a step that no row of features, however long, can make overshoot: that of the
    proximal point of a parabola with this curvature (Kulis & Bartlett, ICML 2010). `squares`: of the
    row, summed up."""
    return rate / (1.0 + rate * curvature * (1.0 + squares))


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
            rate = damped(rate * e.weight, sqnorm(e), 1.0) / e.weight
        # w = (1 - rate l2) w + rate x (y - w.x) (Widrow & Hoff, 1960)
        return add(self.w, e, rate * e.weight * (e.y - prediction), 1.0 - rate * self.schedule.l2)


cdef class LogisticState(LinearClassifierState):
    cdef Schedule schedule
    cdef double step_factor  # of a step with two labels: the number of rows that it moves
    cdef bint damps
    # With `damps` the rate falls, down to LEAST_CARE of it, while probabilities are hardly better than the
    # shares of the labels: what a constant rate then learns is noise (Brier scores, recent ones).
    # While they are worse, what was learned fades, too, but for the intercept.
    cdef double care         # the rate is that of the schedule times this
    cdef double watched      # examples
    cdef double own_loss
    cdef double share_loss
    cdef double* shares      # of the labels, recently
    cdef Py_ssize_t room_shares

    def __cinit__(self, *args, **options):
        self.care = 1.0
        self.shares = <double*> resize(NULL, 0, 2 * sizeof(double))
        self.room_shares = 2

    def __dealloc__(self):
        release(self.shares)

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
        cdef double share, squares
        cdef int status
        if self.damps:
            squares = self.sqnorm if self.sqnorm >= 0.0 else sqnorm(e)
            step = damped(self.care * step, squares, LOGISTIC_CURVATURE)
            shrink *= self.fading()
        # w = (1 - rate l2) w + rate (y - p) x (Cox, 1958); y / (1 + odds) is y - p for y = 1 and y = 0
        status = add(self.w, e, step * e.y / (1.0 + odds), shrink)
        if self.damps and status == LEARNED:
            share = 1.0 - self.shares[e.label]
            self.watch(e.label, 2, 2.0 / (1.0 + odds) ** 2, 2.0 * share * share)
        return status

    cdef double fading(self) noexcept nogil:
        """What remains of the weights."""
        if self.watched > 20.0 and self.share_loss > TOO_LITTLE and self.own_loss > self.share_loss:
            return 1.0 - 0.5 / HORIZON
        return 1.0

    cdef void watch(self, int y, Py_ssize_t k, double own, double share) noexcept nogil:
        """Count an example of label y with these losses, and adapt the care."""
        cdef double part = max(1.0 / HORIZON, 1.0 / (self.watched + 1.0))
        cdef double slow = max(SLOWER, 1.0 / (self.watched + 1.0))
        cdef Py_ssize_t r
        self.own_loss += part * (own - self.own_loss)
        self.share_loss += part * (share - self.share_loss)
        for r in range(k):
            self.shares[r] += slow * ((r == y) - self.shares[r])
        self.watched += 1.0
        if self.watched <= 20.0:
            return
        if self.share_loss > TOO_LITTLE and self.own_loss > HARDLY * self.share_loss:
            self.care = max(LEAST_CARE, self.care * (1.0 - 1.0 / HORIZON))
        else:
            self.care = min(1.0, self.care * (1.0 + 4.0 / HORIZON))

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_shares:
            self.shares = <double*> resize(
                self.shares, self.room_shares * sizeof(double), n * sizeof(double))
            self.room_shares = n
        return LinearClassifierState.set_labels(self, n)

    def export_own(self):
        cdef Py_ssize_t r, k = max(2, self.n_labels)
        fields = LinearClassifierState.export_own(self)
        if self.damps:
            numbers = [self.care, self.watched, self.own_loss, self.share_loss]
            fields["watch"] = np.array([*numbers, *(self.shares[r] for r in range(k))])
        return fields

    def restore_own(self, fields):
        cdef Py_ssize_t r, k = max(2, self.n_labels)
        LinearClassifierState.restore_own(self, fields)
        if self.damps:
            numbers = fields.array("watch", (4 + k,))
            if numbers.min() < 0.0 or not LEAST_CARE <= numbers[0] <= 1.0:
                raise ValueError("watch holds numbers that cannot be")
            self.care, self.watched, self.own_loss, self.share_loss = numbers[:4].tolist()
            for r in range(k):
                self.shares[r] = numbers[4 + r]

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double rate, shrink, own = 0.0, share = 1.0
        cdef Py_ssize_t r
        cdef int status
        if self.w.k == 1:
            return self.update_one(e, f[0])
        rate = rate_at(&self.schedule, self.seen - self.start + 1)
        shrink = 1.0 - rate * self.schedule.l2
        rate *= e.weight
        if self.damps:
            rate = damped(self.care * rate, sqnorm(e), LOGISTIC_CURVATURE)
            shrink *= self.fading()
        # W_r = (1 - rate l2) W_r + rate ([r = y] - p_r) x (Cox, 1966)
        softmax(f, self.steps, self.w.k)
        for r in range(self.w.k):
            own += ((r == e.label) - self.steps[r]) ** 2
            self.steps[r] = rate * ((r == e.label) - self.steps[r])
        status = add_columns(self.w, e, self.steps, shrink)
        if self.damps and status == LEARNED:
            for r in range(self.w.k):
                share += self.shares[r] * self.shares[r]
            self.watch(e.label, self.w.k, own, share - 2.0 * self.shares[e.label])
        return status

    cdef void link(self, const double* f, double* out) noexcept nogil:
        if self.w.k == 1:
            sigmoids(f[0], self.first_sign, out)
        else:
            softmax(f, out, self.w.k)
