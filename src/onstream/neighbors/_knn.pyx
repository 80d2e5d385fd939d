"""Nearest neighbours over a window: the label, or the number, of the most similar examples."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np

from ..core.classifier cimport ClassifierState
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.memory cimport release, resize
from ..core.sources cimport Source
from ..core.state cimport State
from ..drift._adwin cimport (
    Adwin,
    adwin_bytes,
    adwin_export,
    adwin_free,
    adwin_hold,
    adwin_push,
    adwin_restore,
    adwin_start,
)
from ._examples cimport LARGEST
from ._found cimport Found
from ._window cimport TOGETHER, Query, Window, close, vote


# -- classification ----------------------------------------------------------------------------


cdef class KNNClassifierState(ClassifierState):
    cdef readonly Window window
    cdef bint coded      # a text is a nominal value; else a feature of its own
    cdef int32_t* label  # of each slot

    def __cinit__(self, room, metric, scale, k, weights, ties, nominal_distance, *parameters):
        self.window = Window(room, metric, scale, k, weights, ties)
        self.coded = nominal_distance != "one-hot"
        self.label = <int32_t*> resize(NULL, 0, self.window.room * sizeof(int32_t))
        if nominal_distance == "value-difference":
            self.window.compare_by(self.label)
        self.together = TOGETHER

    def __dealloc__(self):
        release(self.label)

    def configure(self, Encoder encoder):
        encoder.nominal = self.coded

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.window.set_features(width, self.features.categories)

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.window.shrink(width)
        return 0

    cdef Py_ssize_t outputs(self) noexcept nogil:
        """The scores, and one number more: the label, since a tie is decided by the distance."""
        return (self.n_labels if self.n_labels > 2 else 1) + 1

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Query q
        cdef int status = self.window.search(e, &q)
        if status == LEARNED:
            self.count_votes(&q.f, out)
        close(&q)
        return status

    cdef int score_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t n, double* out,
    ) noexcept nogil:
        cdef Query* queries = <Query*> PyMem_RawMalloc(n * sizeof(Query))
        cdef Py_ssize_t i, width = self.outputs()
        cdef int status
        if queries == NULL:
            return NO_MEMORY
        status = self.window.search_rows(source, start, n, queries)
        for i in range(n):
            if status == LEARNED:
                self.count_votes(&queries[i].f, out + i * width)
            close(&queries[i])
        PyMem_RawFree(queries)
        return status

    cdef void count_votes(self, const Found* f, double* out) noexcept nogil:
        """Scores and label, given the neighbours."""
        cdef Py_ssize_t i
        cdef int32_t r, best = 0, labels = self.n_labels
        cdef double both[2]
        cdef double total = 0.0, v, away
        cdef double* votes = out
        if labels <= 2:
            votes = both
        memset(votes, 0, max(labels, 2) * sizeof(double))
        for i in range(f.n):
            v = vote(self.window, f, i)
            votes[self.label[f.slots[i]]] += v
            total += v
        if f.n:  # most votes; of those the nearest, then the oldest label
            best, away = self.label[f.slots[0]], f.distances[0]
            for i in range(1, f.n):
                r = self.label[f.slots[i]]
                if votes[r] > votes[best] or (
                    votes[r] == votes[best] and r < best and f.distances[i] == away
                ):
                    best, away = r, f.distances[i]
        if total > 0.0:
            for r in range(labels):
                votes[r] /= total
        if labels <= 2:
            out[0] = self.first_sign * (both[0] - both[1]) if labels == 2 else 0.0
        out[labels if labels > 2 else 1] = best

    cdef int32_t decide(self, const double* scores) noexcept nogil:
        if self.seen == 0:
            return -1
        return <int32_t> scores[self.n_labels if self.n_labels > 2 else 1]

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef double total = 0.0
        if self.n_labels == 2:
            out[0] = 0.5 + 0.5 * self.first_sign * scores[0]
            out[1] = 1.0 - out[0]
        else:
            for r in range(self.n_labels):
                total += scores[r]
            for r in range(self.n_labels):
                out[r] = scores[r] if total > 0.0 else 1.0 / self.n_labels

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t at = self.window.remember(e)
        if at < 0:
            return NO_MEMORY if at == NO_MEMORY else OVERFLOW
        self.label[at] = e.label
        return LEARNED

    def refusal(self):
        return self.window.refusal()

    def export_own(self):
        window = self.window
        chosen = [self.label[window.slot(i)] for i in range(window.n)]
        return {
            **window.export(self.features.width, self.features.categories),
            "chosen": np.array(chosen, dtype=np.int64), "weights": window.weights(),
        }

    def restore_own(self, fields):
        cdef Py_ssize_t i, n = self.window.restore(
            fields, self.features.width, self.features.categories, self.seen)
        chosen = fields.integers("chosen", (n,), 0, max(0, self.n_labels - 1))
        weights = fields.array("weights", (n,))
        if (weights <= 0.0).any() or (n and not self.n_labels):
            raise ValueError("an example has no weight, or no label")
        self.window.restore_weights(weights)
        for i in range(n):
            self.label[i] = chosen[i]

    def memory(self):
        held = self.window.bytes() + self.window.room * sizeof(int32_t)
        return ClassifierState.memory(self) + held


cdef class KNNADWINState(KNNClassifierState):
    cdef Adwin adwin
    cdef bint predicted  # was this row predicted already, before any step learned it?
    cdef int32_t guess   # the label it was predicted to have

    def __cinit__(self, room, metric, scale, k, weights, ties, nominal_distance, double delta):
        adwin_start(&self.adwin, delta)
        self.tests_first = True

    def __dealloc__(self):
        adwin_free(&self.adwin)

    cdef int learn(self, const Example* e) noexcept nogil:
        """Predict, remember, give the error to ADWIN; on a change forget the oldest."""
        cdef double few[16]
        cdef double* out = few
        cdef int status
        if self.predicted:
            return self.remember(e)
        if self.outputs() > 16:
            out = <double*> PyMem_RawMalloc(self.outputs() * sizeof(double))
            if out == NULL:
                return NO_MEMORY
        status = self.score_learn(e, out)
        if out != few:
            PyMem_RawFree(out)
        return status

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef int status = self.score(e, out)
        if status != LEARNED:
            return status
        self.guess = self.decide(out)
        return self.remember(e)

    cdef void tested(self, const double* scores) noexcept nogil:
        """Steps learn the row before they hand it on, so the prediction is made before them."""
        self.predicted = scores != NULL
        if self.predicted:
            self.guess = self.decide(scores)

    cdef int remember(self, const Example* e) noexcept nogil:
        """Learn the example, which was predicted to have the label `guess`."""
        cdef int status
        if not adwin_hold(&self.adwin):
            return NO_MEMORY
        status = KNNClassifierState.learn(self, e)
        if status != LEARNED:
            return status
        if self.guess >= 0 and adwin_push(&self.adwin, self.guess != e.label):
            while self.window.n > self.adwin.width:
                self.window.drop_oldest()
        return LEARNED

    def export_own(self):
        return {**KNNClassifierState.export_own(self), "adwin": adwin_export(&self.adwin)}

    def restore_own(self, fields):
        KNNClassifierState.restore_own(self, fields)
        inner = fields.child("adwin")
        adwin_restore(&self.adwin, inner)
        inner.done()

    def memory(self):
        return KNNClassifierState.memory(self) + adwin_bytes(&self.adwin)


# -- regression --------------------------------------------------------------------------------


cdef class KNNRegressorState(State):
    cdef readonly Window window
    cdef bint coded  # a text is a nominal value; else a feature of its own
    cdef double* y   # of each slot

    def __cinit__(self, room, metric, scale, k, weights, ties, nominal_distance):
        self.window = Window(room, metric, scale, k, weights, ties)
        self.coded = nominal_distance != "one-hot"
        self.y = <double*> resize(NULL, 0, self.window.room * sizeof(double))
        self.together = TOGETHER

    def __dealloc__(self):
        release(self.y)

    def configure(self, Encoder encoder):
        encoder.nominal = self.coded

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.window.set_features(width, self.features.categories)

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.window.shrink(width)
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Query q
        cdef int status = self.window.search(e, &q)
        if status == LEARNED:
            out[0] = self.mean(&q.f)
        close(&q)
        return status

    cdef int score_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t n, double* out,
    ) noexcept nogil:
        cdef Query* queries = <Query*> PyMem_RawMalloc(n * sizeof(Query))
        cdef Py_ssize_t i
        cdef int status
        if queries == NULL:
            return NO_MEMORY
        status = self.window.search_rows(source, start, n, queries)
        for i in range(n):
            if status == LEARNED:
                out[i] = self.mean(&queries[i].f)
            close(&queries[i])
        PyMem_RawFree(queries)
        return status

    cdef double mean(self, const Found* f) noexcept nogil:
        """Of the neighbours' targets, weighted by their votes."""
        cdef Py_ssize_t i
        cdef double total = 0.0, sum = 0.0, v
        for i in range(f.n):
            v = vote(self.window, f, i)
            total += v
            sum += v * self.y[f.slots[i]]
        return sum / total if total > 0.0 else 0.0

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t at = -OVERFLOW if fabs(e.y) > LARGEST else self.window.remember(e)
        if at < 0:
            return NO_MEMORY if at == NO_MEMORY else OVERFLOW
        self.y[at] = e.y
        return LEARNED

    def refusal(self):
        return self.window.refusal()

    def export_own(self):
        window = self.window
        targets = [self.y[window.slot(i)] for i in range(window.n)]
        return {
            **window.export(self.features.width, self.features.categories),
            "targets": np.array(targets, dtype=np.float64), "weights": window.weights(),
        }

    def restore_own(self, fields):
        cdef Py_ssize_t i, n = self.window.restore(
            fields, self.features.width, self.features.categories, self.seen)
        targets = fields.array("targets", (n,))
        weights = fields.array("weights", (n,))
        if (weights <= 0.0).any():
            raise ValueError("an example has no weight")
        self.window.restore_weights(weights)
        for i in range(n):
            self.y[i] = targets[i]

    def memory(self):
        return State.memory(self) + self.window.bytes() + self.window.room * sizeof(double)
