"""Scales of the features, learned on the way: the last step before a learner with `scale="auto"`.

A value x of feature i reaches the learner as (x - OFFSET[i]) * FACTOR[i]. The offset is the mean
of its values times the share of examples that have it; the factor is one over the root mean square
distance from there. So a column that is never missing is standardised, and a rare word is only
divided by its root mean square: where it is absent it is 0, as before. A category, which is 1 where
it is present, stays 1. What never varies says nothing: 0. Before a learner without intercept
nothing is subtracted.

An example counts before it is scaled, so that no learned value is far out. Offset and factor are
computed again after a fifth more examples, and at a value beyond OUTLIER deviations. Between that
an example costs a subtraction and a product for each value, and Welford's update; a feature that
came MANY times is counted in one of EIGHTH examples, eightfold.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs, floor, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from .arrays cimport doubles
from .encoder cimport bounded
from .example cimport LEARNED, NO_MEMORY, OVERFLOW, Example, feature, onstream_peak
from .memory cimport release, resize, roomier
from .state cimport State
from .transformer cimport Pool, TransformerState, fill_pool


cdef extern from "scaling.h" nogil:
    int64_t onstream_standardise(
        double* out, const double* x, const double* offset, const double* factor, double limit,
        Py_ssize_t n)
    void onstream_moments(
        double* mean, double* square, const double* x, double weight, double share, Py_ssize_t n)


cdef enum:
    FEW = 64      # values that fit on the stack
    MANY = 256    # values of a feature after which a sample suffices
    EIGHTH = 8

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio

cdef double OUTLIER = 5.0     # deviations
cdef double LARGEST = 1e150   # a value whose square can still be summed
cdef double NOISE = 1e-26     # of the squared mean: a variance below is rounding
cdef double LEAST = 1e-290    # a variance whose root can still be divided by


cdef class Scaling(TransformerState):
    def __cinit__(self, bint centres):
        self.centres = centres
        self.next_due = 1.0

    def __dealloc__(self):
        cdef Py_ssize_t k
        for k in range(N_KEPT):
            release(self.kept[k])
        PyMem_RawFree(self.old)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, k
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            for k in range(N_KEPT):
                self.kept[k] = <double*> resize(
                    self.kept[k], self.room * sizeof(double), room * sizeof(double))
            self.room = room
        self.rows = max(self.rows, width)
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)  # the features beyond have no numbers yet
        return 0

    # -- from step to learner ---------------------------------------------------------------------

    cdef int pass_score(self, const Example* e, State last, double* out) noexcept nogil:
        cdef double few[FEW]
        cdef double* values = few
        cdef Example scaled
        cdef int status
        if e.n > FEW:
            values = <double*> PyMem_RawMalloc(e.n * sizeof(double))
            if values == NULL:
                return NO_MEMORY
        self.rescale(e, &scaled, values)
        status = last.score(&scaled, out)
        if values != few:
            PyMem_RawFree(values)
        return status

    cdef int pass_score_learn(self, const Example* e, State last, double* out) noexcept nogil:
        cdef Example scaled
        cdef int status
        if not self.keeps_scale(e, &scaled):
            return TransformerState.pass_score_learn(self, e, last, out)
        status = last.score_learn(&scaled, out)
        if status == LEARNED:
            self.count(e)
        return status

    cdef bint keeps_scale(self, const Example* e, Example* scaled) noexcept nogil:
        """Is the scale the same before and after this example is counted? Then this is it scaled, in
        memory of this step."""
        cdef double* values
        cdef double size
        cdef Py_ssize_t i
        cdef int32_t id
        if self.make_room(e.n) != LEARNED or not e.peak < LARGEST:
            return False
        if self.complete > 0:
            if self.is_due(e):
                return False
            self.rescale(e, scaled, self.out.values)
            return scaled.peak <= OUTLIER
        values = self.out.values
        scaled[0] = e[0]
        scaled.values = values
        scaled.peak = 0.0
        for i in range(e.n):
            id = feature(e, i)
            if self.kept[COUNT][id] + 1.0 >= self.kept[DUE][id]:
                return False
            values[i] = (e.values[i] - self.kept[OFFSET][id]) * self.kept[FACTOR][id]
            size = fabs(values[i])
            if size > scaled.peak:
                scaled.peak = size
        return scaled.peak <= OUTLIER

    cdef int pass_learn(self, const Example* e, State last) noexcept nogil:
        cdef Example scaled
        cdef int status = self.learn(e)
        if status != LEARNED:
            return status
        self.rescale(e, &scaled, self.out.values)
        if scaled.peak > OUTLIER:
            self.renew_outliers(e, &scaled)
            self.rescale(e, &scaled, self.out.values)
        status = last.learn(&scaled)
        if status == LEARNED:
            self.count(e)
        else:
            self.undo()
        return status

    cdef int learn(self, const Example* e) noexcept nogil:
        """Compute again what is due, as if the example had been counted."""
        self.n_old = 0
        self.old_next_due, self.old_complete = self.next_due, self.complete
        if not e.peak < LARGEST and not onstream_peak(e.values, e.n) < LARGEST:
            return OVERFLOW  # the peak may be that of a block
        if self.make_room(e.n) != LEARNED:
            return NO_MEMORY
        if self.is_due(e):
            self.renew_due(e)
        return LEARNED

    cdef int make_room(self, Py_ssize_t n) noexcept nogil:
        """Allocate what scaling n values and undoing that takes."""
        if n <= self.out_room and self.old != NULL:
            return LEARNED
        PyMem_RawFree(self.out.values)
        PyMem_RawFree(self.old)
        self.out_room = 2 * n
        self.old = <Overwritten*> PyMem_RawMalloc((4 * n + 1) * sizeof(Overwritten))
        if not fill_pool(&self.out, self.out_room) or self.old == NULL:
            self.out_room = 0
            return NO_MEMORY
        return LEARNED

    cdef void undo(self) noexcept nogil:
        cdef Overwritten* old
        while self.n_old > 0:
            self.n_old -= 1
            old = self.old + self.n_old
            self.kept[OFFSET][old.feature] = old.offset
            self.kept[FACTOR][old.feature] = old.factor
            self.kept[DUE][old.feature] = old.due
        self.next_due, self.complete = self.old_next_due, self.old_complete

    # -- scaling ------------------------------------------------------------------------------------

    cdef void rescale(self, const Example* e, Example* out, double* values) noexcept nogil:
        """The scaled example, its values in `values`. Features that are not known yet stay."""
        cdef const double* offset = self.kept[OFFSET]
        cdef const double* factor = self.kept[FACTOR]
        cdef Py_ssize_t i
        cdef int32_t id
        out[0] = e[0]
        out.values = values
        if e.ids == NULL and e.n <= self.rows and e.peak < LARGEST:
            out.peak = OUTLIER
            if onstream_standardise(values, e.values, offset, factor, OUTLIER, e.n):
                out.peak = onstream_peak(values, e.n)
            return
        for i in range(e.n):
            id = feature(e, i)
            values[i] = e.values[i]
            if id < self.rows:
                values[i] = bounded(bounded(e.values[i] - offset[id]) * factor[id])
        out.peak = onstream_peak(values, e.n)

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        self.rescale(e, out, pool.values)
        return LEARNED

    # -- offsets and factors ------------------------------------------------------------------------

    cdef bint has_all(self, const Example* e) noexcept nogil:
        """Does the example have all features, as every one before?"""
        return e.n == self.complete and e.width == self.complete

    cdef bint is_due(self, const Example* e) noexcept nogil:
        """Is any offset or factor to be computed again, with this example?"""
        cdef Py_ssize_t i
        cdef int32_t id
        if self.has_all(e):
            return self.counted + 1.0 >= self.next_due
        if self.complete > 0:
            return True  # the first example that lacks a feature, or has a new one
        for i in range(e.n):
            id = feature(e, i)
            if self.kept[COUNT][id] + 1.0 >= self.kept[DUE][id]:
                return True
        return False

    cdef void spell_out(self) noexcept nogil:
        """Write COUNT and DUE of features that came with every example."""
        cdef Py_ssize_t i
        for i in range(self.complete):
            self.kept[COUNT][i] = self.counted
            self.kept[DUE][i] = self.next_due

    cdef void renew_due(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        cdef int32_t id
        cdef double count
        if self.has_all(e):
            self.next_due = due_after(self.counted + 1.0)
            for i in range(e.n):
                self.renew(feature(e, i), e.values[i], 0.0)
            return
        self.spell_out()
        self.complete = 0
        for i in range(e.n):
            id = feature(e, i)
            count = self.kept[COUNT][id] + 1.0
            if count >= self.kept[DUE][id]:
                self.renew(id, e.values[i], due_after(count))

    cdef void renew_outliers(self, const Example* e, const Example* scaled) noexcept nogil:
        """The scale of a value far out is no longer what it was."""
        cdef Py_ssize_t i
        for i in range(e.n):
            if fabs(scaled.values[i]) > OUTLIER:
                self.renew(feature(e, i), e.values[i], self.kept[DUE][feature(e, i)])

    cdef void renew(self, int32_t i, double x, double due) noexcept nogil:
        """Compute offset and factor of feature i with one more value, which is counted later."""
        cdef Overwritten* old = self.old + self.n_old
        cdef double total = self.counted + 1.0
        cdef double count = total if i < self.complete else self.kept[COUNT][i] + 1.0
        cdef double far = x - self.kept[MEAN][i]
        cdef double mean = self.kept[MEAN][i] + far / count
        cdef double variance = (self.kept[SQUARE][i] + far * (x - mean)) / count
        cdef double share = min(1.0, count / total) if self.centres and total > 1.0 else 0.0
        old.feature, old.offset, old.factor, old.due = (
            i, self.kept[OFFSET][i], self.kept[FACTOR][i], self.kept[DUE][i])
        self.n_old += 1
        self.kept[DUE][i] = due
        if not variance > NOISE * mean * mean:
            variance = 0.0
        variance += ((1.0 - share) * mean) ** 2
        self.kept[OFFSET][i] = share * mean
        self.kept[FACTOR][i] = 1.0 / sqrt(variance) if variance > LEAST else 0.0

    cdef void count(self, const Example* e) noexcept nogil:
        """Count an example that was learned."""
        cdef Py_ssize_t i
        cdef int32_t id
        cdef double weight = 1.0
        cdef double* count = self.kept[COUNT]
        cdef double* mean = self.kept[MEAN]
        cdef double* square = self.kept[SQUARE]
        cdef bint sampled
        self.seen += 1
        if self.counted == 0.0 and e.n == e.width:
            self.complete = e.n
            self.next_due = due_after(1.0)
        sampled = (<uint64_t> self.seen * SPREAD) >> 61 == 0  # no period of the stream can match it
        if self.has_all(e):
            if self.counted >= MANY:
                if not sampled:
                    return
                weight = EIGHTH
            self.counted += weight
            if e.ids == NULL:
                onstream_moments(mean, square, e.values, weight, weight / self.counted, e.n)
            else:
                for i in range(e.n):
                    add_value(mean + e.ids[i], square + e.ids[i], e.values[i], weight, self.counted)
            return
        self.counted += 1.0
        for i in range(e.n):
            id = feature(e, i)
            weight = 1.0
            if count[id] >= MANY:
                if not sampled:
                    continue
                weight = EIGHTH
            count[id] += weight
            add_value(mean + id, square + id, e.values[i], weight, count[id])

    # -- files ----------------------------------------------------------------------------------------

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return N_KEPT * self.rows * sizeof(double)

    def export_own(self):
        cdef Py_ssize_t width = self.features.width, k
        self.reserve(width)
        scales = np.empty((N_KEPT, width))
        self.spell_out()
        for k in range(N_KEPT):
            if width:
                memcpy(doubles(scales) + k * width, self.kept[k], width * sizeof(double))
        return {"counted": self.counted, "complete": self.complete, "scales": scales}

    def restore_own(self, fields):
        cdef Py_ssize_t width = self.features.width, k
        self.reserve(width)
        self.counted = fields.number("counted", 0.0, 2.0**61)
        scales = np.ascontiguousarray(fields.array("scales", (N_KEPT, width)))
        if (scales[[COUNT, SQUARE, FACTOR, DUE]] < 0.0).any():
            raise ValueError("scales holds counts or deviations that cannot be")
        for k in range(N_KEPT):
            if width:
                memcpy(self.kept[k], doubles(scales) + k * width, width * sizeof(double))
            if self.room > width:  # no pointer to clear at where there is no room at all
                memset(self.kept[k] + width, 0, (self.room - width) * sizeof(double))
        self.complete = fields.integer("complete", 0, width)
        if self.complete:
            self.next_due = scales[DUE, 0]
            if (scales[COUNT, : self.complete] != self.counted).any():
                raise ValueError("scales counts features less often than all examples")

    def own_bytes(self):
        return TransformerState.own_bytes(self) + (
            N_KEPT * self.room * sizeof(double) + 2 * self.out_room * sizeof(Overwritten))


cdef inline void add_value(
    double* mean, double* square, double x, double weight, double count
) noexcept nogil:
    """Welford's update, as onstream_moments does it."""
    cdef double far = x - mean[0]
    mean[0] += far * (weight / count)
    square[0] += weight * (far * (x - mean[0]))


cdef inline double due_after(double count) noexcept nogil:
    return count + 1.0 + floor(count / 5.0)
