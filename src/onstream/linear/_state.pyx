"""What linear learners share: weights, scores, promotion to more labels.

A learner overrides `update(e, f)`: what changes, given the example and its scores. Its constructor
takes `intercept` first, then its own parameters.
"""

from libc.float cimport DBL_MAX
from libc.math cimport fabs
from libc.stdint cimport int32_t

import numpy as np

from ..core.classifier cimport ClassifierState
from ..core.example cimport LEARNED, OVERFLOW, Example
from ..core.memory cimport release, resize
from ..core.sources cimport Source
from ..core.state cimport State
from ..core.task cimport LABEL, NOTHING, Task
from ..core.weights cimport Weights, finished_score, score as single_score, scores
from .targets cimport Targets, count_target, no_targets, within_reach

cdef double LARGEST_TARGET = 1e150  # whose square can still be summed


cdef class LinearClassifierState(ClassifierState):
    def __cinit__(self, bint intercept, *parameters):
        self.w = Weights(1, intercept)
        self.runs = True
        self.sqnorm = -1.0
        self.f = <double*> resize(NULL, 0, sizeof(double))
        self.steps = <double*> resize(NULL, 0, sizeof(double))
        self.room_labels = 1

    def __dealloc__(self):
        release(self.f)
        release(self.steps)

    def behind(self, Scaling scaling):
        """This is the only step before it: rows of blocks are scaled in `run`."""
        self.scaling = scaling
        self.behind_steps = False

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.w.k

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.w.reserve(width)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """With the third label (promotion) the first two get columns +share * w and -share * w of the
        single column w, by their signs, and the new one starts at 0. With n = 2 that is undone."""
        self.reserve_labels(n)
        if n > 2 and self.w.k == 1:
            self.before = self.w
            self.w = self.w.split(self.first_sign * self.share)
        elif n == 2 and self.before is not None:
            self.w, self.before = self.before, None
        if n > 2:
            self.w.set_columns(n)
        return 0

    cdef int reserve_labels(self, Py_ssize_t n) except -1:
        """Make room for the scores and steps of n labels."""
        if n > self.room_labels:
            self.f = <double*> resize(self.f, 0, n * sizeof(double))
            self.steps = <double*> resize(self.steps, 0, n * sizeof(double))
            self.room_labels = n
        return 0

    cdef int commit_label(self) except -1:
        self.before = None
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        self.w.expected = self.n_labels + more if more else 0
        return 0

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return self.w.rows * self.w.stride * sizeof(double)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        scores(self.w, e, out)
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        if self.w.k == 1:  # the usual case, without a loop
            out[0] = single_score(self.w, e)
            return OVERFLOW if fabs(out[0]) >= DBL_MAX else self.update(e, out)
        scores(self.w, e, out)
        for r in range(self.w.k):
            if fabs(out[r]) >= DBL_MAX:
                return OVERFLOW
        return self.update(e, out)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        """Learn from the example and its scores: LEARNED, or OVERFLOW and nothing is changed."""
        return OVERFLOW

    cdef int update_one(self, const Example* e, double f) noexcept nogil:
        """`update` with one column. Override it for speed: f then stays in a register."""
        return self.update(e, &f)

    cdef Py_ssize_t run(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known
    ) noexcept nogil:
        """A short loop for the usual block: two labels, all weights 1, labels or nothing to answer."""
        cdef Example e
        cdef Py_ssize_t i
        cdef double f
        cdef double[2] signs = [self.first_sign, -self.first_sign]
        cdef int32_t[2] choices = [self.binary_choice(-1.0), self.binary_choice(1.0)]
        if self.w.k > 1 or task.weights != NULL or task.output not in (NOTHING, LABEL):
            return -1
        e.codes = NULL
        e.weight = 1.0
        for i in range(start, stop):
            source.row(i, &e)
            if e.width > known:
                return i
            e.label = task.numbers[i]
            e.y = signs[e.label != 0]  # branch-free: labels are unpredictable
            if self.scaling is None:
                f = single_score(self.w, &e)
                if fabs(f) >= DBL_MAX or self.update_one(&e, f) != LEARNED:
                    return i
            elif not self.learn_scaled(&e, &f):
                return i
            if task.output == LABEL:
                task.picks[i] = choices[f >= 0.0] if self.seen > 0 else -1
            self.seen += 1
        return stop

    cdef bint learn_scaled(self, const Example* e, double* f) noexcept nogil:
        """Score an example by the scales that are known, then learn it by those that know it. False:
        it is not learned, and nothing is changed."""
        cdef Example scaled
        cdef double[2] products
        cdef double g
        cdef int status
        if self.scaling.keeps_score(e, &scaled, self.w.v, products):
            f[0] = finished_score(self.w, &scaled, products[0])
            if fabs(f[0]) >= DBL_MAX:
                return False
            self.sqnorm = products[1]
            status = self.update_one(&scaled, f[0])
            self.sqnorm = -1.0
            if status != LEARNED:
                return False
            self.scaling.count(e)
            return True
        scaled.values = NULL
        if self.scaling.keeps_scale(e, &scaled):
            f[0] = single_score(self.w, &scaled)
            if fabs(f[0]) >= DBL_MAX or self.update_one(&scaled, f[0]) != LEARNED:
                return False
            self.scaling.count(e)
            return True
        if scaled.values == NULL:  # not even scaled as before
            if self.scaling.make_room(e.n) != LEARNED:
                return False
            self.scaling.rescale(e, &scaled, self.scaling.out.values, self.scaling.out.ids)
        f[0] = single_score(self.w, &scaled)
        if fabs(f[0]) >= DBL_MAX or self.scaling.learn_scale(e, &scaled) != LEARNED:
            return False
        g = single_score(self.w, &scaled)
        if fabs(g) >= DBL_MAX or self.update_one(&scaled, g) != LEARNED:
            self.scaling.undo()
            return False
        self.scaling.count(e)
        return True

    def export_own(self):
        return self.w.export(self.features.width)

    def restore_own(self, fields):
        k = self.n_labels if self.n_labels > 2 else 1
        self.w = restored_weights(self.w, fields, self.features.width, k)

    def memory(self):
        return ClassifierState.memory(self) + self.w.memory() + 2 * 8 * max(1, self.n_labels)


cdef class LinearRegressorState(State):
    def __cinit__(self, bint intercept, *parameters, bint relative=False):
        self.w = Weights(1, intercept)
        self.relative = relative
        self.targets = no_targets()

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return self.w.rows * sizeof(double)

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.w.reserve(width)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        out[0] = single_score(self.w, e)
        if self.relative:
            out[0] = within_reach(&self.targets, out[0])
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef double prediction = single_score(self.w, e)
        cdef int status
        out[0] = within_reach(&self.targets, prediction) if self.relative else prediction
        if fabs(prediction) >= DBL_MAX:
            return OVERFLOW
        if not self.relative:
            return self.update(e, prediction)
        if not fabs(e.y) < LARGEST_TARGET:
            return OVERFLOW
        if self.targets.count == 0.0 and self.w.intercept:  # begin with the first target
            self.w.b[0] = e.y
            self.w.bound = max(self.w.bound, fabs(e.y))
            status = LEARNED
        else:
            status = self.update(e, prediction)
        if status == LEARNED:
            count_target(&self.targets, e.y)
        return status

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        """Learn from the example and its prediction: LEARNED, or OVERFLOW and nothing changed."""
        return OVERFLOW

    def export_own(self):
        fields = self.w.export(self.features.width)
        return {**fields, **export_targets(&self.targets)} if self.relative else fields

    def restore_own(self, fields):
        self.w = restored_weights(self.w, fields, self.features.width, 1)
        if self.relative:
            self.targets = restored_targets(fields)

    def memory(self):
        return State.memory(self) + self.w.memory()


cdef dict export_targets(const Targets* t):
    """The numbers of targets, as a field of a state."""
    return {"targets": np.array([t.count, t.mean, t.square, t.low, t.high] if t.count else [0.0] * 5)}


cdef Targets restored_targets(fields):
    cdef Targets t
    t.count, t.mean, t.square, t.low, t.high = fields.array("targets", (5,))
    if t.count < 0.0 or t.square < 0.0 or t.low > t.high:
        raise ValueError("targets holds numbers that cannot be")
    return t if t.count else no_targets()


cdef Weights restored_weights(Weights w, fields, Py_ssize_t width, Py_ssize_t k):
    """Weights of the same kind as w, with the numbers of an exported state."""
    cdef Weights other = Weights(1, w.intercept)
    weights = fields.array("weights", (width, k))
    bias = fields.array("bias", (k,))
    scale = fields.number("scale", -1.0, 1.0)
    if not w.intercept and bias.any():
        raise ValueError("there is a bias without an intercept")
    if abs(scale) < 1e-9:
        raise ValueError(f"scale is {scale}, too close to 0")
    other.appended = w.appended
    other.restore(weights, bias, scale)
    return other
