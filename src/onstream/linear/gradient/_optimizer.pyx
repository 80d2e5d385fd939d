"""States of gradient learners: the slope of a loss at the score, and an optimizer that moves the
weights by it.

Beyond two labels there is one column of weights per label, each learning its label against the
rest; the two old labels take over -w and +w.
"""

from libc.float cimport DBL_MAX
from libc.math cimport exp, fabs
from libc.stdint cimport int64_t

import numpy as np

from ...core.arrays cimport doubles
from ...core.classifier cimport ClassifierState
from ...core.example cimport LEARNED, OVERFLOW, Example, feature, sqnorm
from ...core.memory cimport release, resize
from ...core.scores cimport sigmoids
from ...core.state cimport State
from ...core.weights cimport finite_score, small_product
from .._state cimport export_targets, restored_targets
from ..targets cimport Targets, count_target, deviation_with, no_targets, within_reach
from .divergence cimport Divergence, diverges
from .losses cimport Loss, make_loss

from ...core.doubts import DIVERGES

cdef double LARGEST_TARGET = 1e150  # whose square can still be summed


cdef class Optimizer:
    """Moves the weights, given the slope of the loss for every column."""

    def __cinit__(self, bint intercept, *args, **options):
        self.intercept = intercept
        self.k = self.batch = 1
        self.factor = 1.0

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1."""
        return 0

    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1:
        """k columns now, `expected` soon; added ones have learned nothing."""
        return 0

    cdef Optimizer promoted(self, double part):
        """A copy with a column for each of the two labels: part * w and -part * w."""
        return None

    cdef double weight(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        """The weight that predicts, of feature i in column r."""
        return 0.0

    cdef double bias(self, Py_ssize_t r) noexcept nogil:
        """The intercept that predicts, of column r."""
        return 0.0

    cdef double rate(self, int64_t n) noexcept nogil:
        """The common rate of step n; 0: every weight has its own."""
        return 0.0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Scores by the weights that predict."""
        self.training_scores(e, out)
        return LEARNED

    cdef void training_scores(self, const Example* e, double* out) noexcept nogil:
        """Scores by the weights that learn."""

    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil:
        """Learn with the n-th rate: LEARNED, or OVERFLOW and nothing is changed. May alter `slopes`."""
        return OVERFLOW

    cdef int begin_at(self, double y) noexcept nogil:
        """Let the intercept be the first target."""
        return LEARNED

    cdef void rescore_overflowed(self, const Example* e, double* out) noexcept nogil:
        """Compute scores that overflowed again, by terms that cannot; they stop at the largest double."""
        cdef Py_ssize_t r, i
        cdef double total
        for r in range(self.k):
            if fabs(out[r]) <= DBL_MAX:
                continue
            total = 0.0
            for i in range(e.n):
                total += small_product(e.values[i], self.weight(feature(e, i), r))
            out[r] = finite_score(total, self.bias(r))

    def predicting(self, Py_ssize_t width):
        """The weights that predict, features by columns, and their intercepts."""
        cdef Py_ssize_t i, r
        matrix = np.empty((width, self.k))
        cdef double* out = doubles(matrix)
        self.reserve(width)
        for i in range(width):
            for r in range(self.k):
                out[i * self.k + r] = self.weight(i, r)
        return matrix, np.array([self.bias(r) for r in range(self.k)])

    def tidy(self):
        """Do now what is otherwise done when a feature comes again."""

    def export(self, Py_ssize_t width):
        return {}

    def restore(self, fields, Py_ssize_t width, Py_ssize_t k):
        pass

    def memory(self):
        return 0


cdef class GradientClassifierState(ClassifierState):
    cdef readonly Optimizer optimizer
    cdef Optimizer before  # that of two labels, until the third is committed
    cdef Loss loss
    cdef double* f         # scores of the example being learned
    cdef double* slopes    # of the loss, for every column
    cdef Py_ssize_t room   # columns that fit there
    cdef Py_ssize_t expected  # columns that are known to come
    cdef bint damps        # no step overshoots, however long the example

    def __cinit__(self, Optimizer optimizer, str loss, bint damps=False):
        self.optimizer = optimizer
        self.damps = damps
        self.loss = make_loss(loss, 0.0)
        self.share = 1.0
        self.f = <double*> resize(NULL, 0, sizeof(double))
        self.slopes = <double*> resize(NULL, 0, sizeof(double))
        self.room = 1

    def __dealloc__(self):
        release(self.f)
        release(self.slopes)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.optimizer.k

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.optimizer.reserve(width)

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        self.expected = self.n_labels + more if more else 0
        return 0

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room:
            self.f = <double*> resize(self.f, 0, n * sizeof(double))
            self.slopes = <double*> resize(self.slopes, 0, n * sizeof(double))
            self.room = n
        if n > 2 and self.optimizer.k == 1:
            self.before = self.optimizer
            self.optimizer = self.optimizer.promoted(self.first_sign * self.share)
        elif n == 2 and self.before is not None:
            self.optimizer, self.before = self.before, None
        if n > 2:
            self.optimizer.set_columns(n, self.expected)
        return 0

    cdef int commit_label(self) except -1:
        self.before = None
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        return self.optimizer.score(e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        self.optimizer.training_scores(e, self.f)
        return self.update(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        self.optimizer.score(e, out)
        if self.optimizer.averaging:  # the weights that predict are not those that learn
            return self.learn(e)
        return self.update(e, out)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        """Learn from the example and its scores."""
        cdef Py_ssize_t r
        cdef double y, weight = e.weight
        cdef int64_t n = (self.seen - self.start) // self.optimizer.batch + 1
        if self.damps:
            weight = damped_weight(self.optimizer.rate(n), e, self.loss.curvature)
        # The slope of the loss for every column; with more labels each against the rest.
        for r in range(self.optimizer.k):
            if fabs(f[r]) >= DBL_MAX:
                return OVERFLOW
            y = e.y if self.optimizer.k == 1 else 1.0 if r == e.label else -1.0
            self.slopes[r] = weight * self.loss.slope(&self.loss, y, f[r])
        return self.optimizer.step(e, self.slopes, n)

    cdef void link(self, const double* f, double* out) noexcept nogil:
        """Sigmoids; with more than two labels divided by their sum."""
        cdef double total = 0.0, top = f[0]
        cdef Py_ssize_t r
        if self.optimizer.k == 1:
            sigmoids(f[0], self.first_sign, out)
            return
        for r in range(1, self.optimizer.k):
            top = max(top, f[r])
        for r in range(self.optimizer.k):  # e^f / (1 + e^f); if all are small, divided by e^top
            out[r] = 1.0 / (1.0 + exp(-f[r])) if top > 0.0 else exp(f[r] - top) / (1.0 + exp(f[r]))
            total += out[r]
        for r in range(self.optimizer.k):
            out[r] /= total

    def minds_scales(self):
        return True

    def predicting(self):
        """The weights that predict, and the intercepts."""
        return self.optimizer.predicting(self.features.width)

    def tidy(self):
        self.optimizer.reserve(self.features.width)
        self.optimizer.tidy()

    def export_own(self):
        return self.optimizer.export(self.features.width)

    def restore_own(self, fields):
        self.optimizer.restore(fields, self.features.width, self.n_labels if self.n_labels > 2 else 1)

    def memory(self):
        return ClassifierState.memory(self) + self.optimizer.memory() + 2 * 8 * max(1, self.n_labels)


cdef class GradientRegressorState(State):
    cdef readonly Optimizer optimizer
    cdef Loss loss
    cdef bint relative       # errors count in deviations of the targets, which are counted
    cdef Targets targets
    cdef Divergence divergence

    def __cinit__(self, Optimizer optimizer, str loss, double parameter, bint relative=False):
        self.optimizer = optimizer
        self.loss = make_loss(loss, parameter)
        self.relative = relative
        self.targets = no_targets()

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.optimizer.reserve(width)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef int status = self.optimizer.score(e, out)
        if self.relative:
            out[0] = within_reach(&self.targets, out[0])
        return status

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double p
        self.optimizer.training_scores(e, &p)
        return self.update(e, p)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef double p
        self.optimizer.score(e, out)
        p = out[0]
        if self.relative:
            out[0] = within_reach(&self.targets, p)
        return self.learn(e) if self.optimizer.averaging else self.update(e, p)

    cdef int update(self, const Example* e, double p) noexcept nogil:
        """Learn from the example and its prediction."""
        cdef double slope
        cdef int64_t n = (self.seen - self.start) // self.optimizer.batch + 1
        cdef int status
        if fabs(p) >= DBL_MAX:
            return OVERFLOW
        if not self.relative:
            if diverges(&self.divergence, e.y, p):
                self.doubtful = True
            slope = e.weight * self.loss.slope(&self.loss, e.y, p)
            return self.optimizer.step(e, &slope, n)
        if not fabs(e.y) < LARGEST_TARGET:
            return OVERFLOW
        if self.targets.count == 0.0 and self.optimizer.intercept:  # begin with the first target
            status = self.optimizer.begin_at(e.y)
        else:
            slope = self.relative_slope(e, p, self.optimizer.rate(n))
            status = self.optimizer.step(e, &slope, n)
        if status == LEARNED:
            count_target(&self.targets, e.y)
        return status

    def doubt(self):
        self.doubtful = False
        return "diverges", DIVERGES

    cdef double relative_slope(self, const Example* e, double p, double rate) noexcept nogil:
        """The slope of the loss of errors in deviations of the targets, in units of the target."""
        cdef double unit = deviation_with(&self.targets, e.y)
        cdef double weight = damped_weight(rate, e, self.loss.curvature)
        if unit == 0.0:
            unit = 1.0
        return unit * weight * self.loss.slope(&self.loss, e.y / unit, p / unit)

    def minds_scales(self):
        return True

    def predicting(self):
        """The weights that predict, and the intercepts."""
        return self.optimizer.predicting(self.features.width)

    def tidy(self):
        self.optimizer.reserve(self.features.width)
        self.optimizer.tidy()

    def export_own(self):
        fields = self.optimizer.export(self.features.width)
        return {**fields, **export_targets(&self.targets)} if self.relative else fields

    def restore_own(self, fields):
        self.optimizer.restore(fields, self.features.width, 1)
        if self.relative:
            self.targets = restored_targets(fields)

    def memory(self):
        return State.memory(self) + self.optimizer.memory()


cdef inline double damped_weight(double rate, const Example* e, double curvature) noexcept nogil:
    """The example's weight, lowered so that its step at this rate cannot overshoot."""
    return e.weight / (1.0 + rate * e.weight * curvature * (1.0 + sqnorm(e)))
