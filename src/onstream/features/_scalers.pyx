"""Scalers and the imputer: features keep their names, values change by what was seen of them.

Each keeps a few numbers per feature, and those it has just overwritten, so that they can be put back
if the learner at the end of the pipeline refuses the example.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN, fabs, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport data_of
from ..core.encoder cimport Encoder, bounded
from ..core.example cimport LEARNED, NO_MEMORY, NUMBER, OVERFLOW, SAFE, Example, feature
from ..core.memory cimport release, resize, roomier
from ..core.transformer cimport Pool, TransformerState


cpdef enum:
    KEPT = 5  # numbers per feature
    SAVED = 4  # of them in the field "stats" of a file; the last, where it is not 0, in "low"


FAR = 1e12  # square of the mean over the variance, beyond which the mean needs more digits
cdef double far = FAR


cdef class PerFeature(TransformerState):
    """A transformer with a few numbers for each feature: the first is its total weight; the fourth is 1
    if it is called `name=value`, as a value of text is."""

    cdef double* stats          # KEPT for each feature
    cdef Py_ssize_t rows        # features that have them
    cdef Py_ssize_t room
    cdef int32_t* old_ids       # what the last example has overwritten
    cdef double* old
    cdef Py_ssize_t old_n
    cdef Py_ssize_t old_room

    def __dealloc__(self):
        release(self.stats)
        PyMem_RawFree(self.old_ids)
        PyMem_RawFree(self.old)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        features.blank_step = self.who
        return TransformerState.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        if width > self.room:
            room = roomier(self.room, width)
            self.stats = <double*> resize(
                self.stats, KEPT * self.room * sizeof(double), KEPT * room * sizeof(double))
            self.room = room
        if width > self.rows:
            self.mark(self.rows, width)
            self.rows = width
        return 0

    cdef int mark(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Set the fourth number of these features: are they values of text?"""
        cdef Py_ssize_t id
        for id in range(start, stop):
            name = None if self.features.bits >= 0 else self.features.name_of(id)
            self.stats[KEPT * id + 3] = type(name) is str and "=" in name
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)  # the features beyond have no numbers yet
        return 0

    cdef bint update(self, double* stats, double value, double weight) noexcept nogil:
        """Learn a value of one feature. False: its numbers would leave the range of floats."""
        return True

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        cdef double* stats
        cdef int32_t id
        self.old_n = 0
        if e.n > self.old_room:
            PyMem_RawFree(self.old_ids)
            PyMem_RawFree(self.old)
            self.old_ids = <int32_t*> PyMem_RawMalloc(2 * e.n * sizeof(int32_t))
            self.old = <double*> PyMem_RawMalloc(2 * e.n * KEPT * sizeof(double))
            self.old_room = 2 * e.n
            if self.old_ids == NULL or self.old == NULL:
                self.old_room = 0
                return NO_MEMORY
        for i in range(e.n):
            if skipped(e, i):
                continue
            id = feature(e, i)
            stats = self.stats + KEPT * id
            self.old_ids[self.old_n] = id
            memcpy(self.old + KEPT * self.old_n, stats, KEPT * sizeof(double))
            self.old_n += 1
            if not self.update(stats, e.values[i], e.weight):
                self.undo()
                return OVERFLOW
        return LEARNED

    cdef void undo(self) noexcept nogil:
        while self.old_n > 0:
            self.old_n -= 1
            memcpy(self.stats + KEPT * self.old_ids[self.old_n], self.old + KEPT * self.old_n,
                   KEPT * sizeof(double))

    cdef double scaled(self, const double* stats, double value) noexcept nogil:
        return value

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i
        cdef int32_t id
        cdef double* values = pool.values
        for i in range(e.n):
            id = feature(e, i)
            if skipped(e, i) or id >= self.rows:
                values[i] = e.values[i]
            else:
                values[i] = bounded(self.scaled(self.stats + KEPT * id, e.values[i]))
        out.values = values
        return LEARNED

    def export_own(self):
        cdef Py_ssize_t width = self.features.width
        self.reserve(width)
        stats = np.empty((width, KEPT))
        if width:
            memcpy(data_of(stats), self.stats, stats.nbytes)
        return saved(stats)

    def restore_own(self, fields):
        cdef Py_ssize_t width = self.features.width
        self.reserve(width)
        stats = np.zeros((width, KEPT))
        stats[:, :SAVED] = fields.array("stats", (width, SAVED))
        if not fields.missing("low"):
            stats[:, SAVED] = fields.array("low", (width,))
        if (stats[:, 0] < 0.0).any():
            raise ValueError("a weight in stats is negative")
        if width:
            memcpy(self.stats, data_of(stats), stats.nbytes)
        self.mark(0, width)

    def own_bytes(self):
        return TransformerState.own_bytes(self) + KEPT * 8 * self.room + (4 + KEPT * 8) * self.old_room


def saved(stats):
    """The numbers of all features, as files keep them."""
    fields = {"stats": np.ascontiguousarray(stats[:, :SAVED])}
    if stats[:, SAVED].any():
        fields["low"] = stats[:, SAVED].copy()
    return fields


cdef inline bint skipped(const Example* e, Py_ssize_t i) noexcept nogil:
    """Nominal values, and missing ones, are not scaled."""
    return e.values[i] != e.values[i] or (e.codes != NULL and e.codes[i] != NUMBER)


cdef class ScalerState(PerFeature):
    """A transformer that scales by two numbers of each feature."""

    def scales(self):
        return True

    cdef double constant(self, const double* stats, double value) noexcept nogil:
        """The scaled value of a feature that never changed: 0, but 1 for a value of text."""
        return value if stats[3] != 0.0 and stats[1] == 1.0 else 0.0


cdef class StandardState(ScalerState):
    """Numbers of a feature: weight, mean, sum of squared deviations, is it text; and what rounding took
    from the mean, where that is much larger than the deviation: at 1e9 its last place is 1e-7."""

    cdef bint update(self, double* stats, double value, double weight) noexcept nogil:
        # Welford: the mean moves by its share of the deviation.
        cdef double total = stats[0] + weight, delta = (value - stats[1]) - stats[4]
        cdef double step = delta * (weight / total), mean = stats[1] + step, low = 0.0, moved
        # What is added to the squares is below 0 only by rounding.
        cdef double squares = stats[2] + max(0.0, weight * delta * (value - mean))
        # A mean far from 0: keep what rounding took from it, by a compensated sum.
        if mean * mean * total > far * squares:
            moved = mean - stats[1]
            low = stats[4] + ((stats[1] - (mean - moved)) + (step - moved))
            squares = stats[2] + max(0.0, weight * delta * ((value - mean) - low))
        if not (fabs(mean) < SAFE and squares < SAFE and total < SAFE):
            return False
        stats[0], stats[1], stats[2], stats[4] = total, mean, squares, low
        return True

    cdef double scaled(self, const double* stats, double value) noexcept nogil:
        cdef double variance = stats[2] / stats[0]
        if not variance > 0.0:  # or so small that floats have no such number
            return self.constant(stats, value)
        return ((value - stats[1]) - stats[4]) / sqrt(variance)


cdef class MinMaxState(ScalerState):
    """Numbers of a feature: weight, least, largest, is it text."""

    cdef bint update(self, double* stats, double value, double weight) noexcept nogil:
        cdef double low = value, high = value
        if stats[0] > 0.0:
            low, high = min(stats[1], value), max(stats[2], value)
        if not (stats[0] + weight < SAFE and fabs(value) < SAFE):
            return False
        stats[0], stats[1], stats[2] = stats[0] + weight, low, high
        return True

    cdef double scaled(self, const double* stats, double value) noexcept nogil:
        if stats[2] <= stats[1]:
            return self.constant(stats, value)
        return (value - stats[1]) / (stats[2] - stats[1])


cdef class ImputerState(PerFeature):
    """Numbers of a feature: weight, mean, was some value not 1, is it text."""

    cdef bint mean
    cdef double value

    def __init__(self, bint mean, double value):
        self.mean, self.value = mean, value
        self.wants_nan = True

    cdef bint update(self, double* stats, double value, double weight) noexcept nogil:
        cdef double total = stats[0] + weight
        cdef double mean = stats[1] + (value - stats[1]) * (weight / total)
        if not (total < SAFE and fabs(mean) < SAFE):
            return False
        stats[0], stats[1] = total, mean
        if stats[3] != 0.0 and value != 1.0:  # no text after all
            stats[2] = 1.0
        return True

    cdef bint fills(self, const double* stats) noexcept nogil:
        """Is this a number that has come before? An absent value of text is 0, which is not filled in."""
        return stats[0] > 0.0 and (stats[3] == 0.0 or stats[2] != 0.0)

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        return max(n, self.rows) + n

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        """All numbers that have come before, and those of the example, in order of the features."""
        cdef Py_ssize_t i, at, n = 0, known = min(self.rows, e.width), end = known
        cdef int32_t id
        for i in range(known):
            pool.ids[i], pool.codes[i], pool.values[i] = <int32_t> i, NUMBER, NAN
        for i in range(e.n):
            if e.values[i] == e.values[i]:
                id = feature(e, i)
                at = id
                if id >= known:
                    at = end
                    end += 1
                pool.ids[at], pool.values[at] = id, e.values[i]
                pool.codes[at] = e.codes[i] if e.codes != NULL else NUMBER
        for i in range(end):
            if pool.values[i] != pool.values[i]:
                if not self.fills(self.stats + KEPT * i):
                    continue
                pool.values[i] = self.stats[KEPT * i + 1] if self.mean else self.value
            pool.ids[n], pool.codes[n], pool.values[n] = pool.ids[i], pool.codes[i], pool.values[i]
            n += 1
        out.ids, out.values, out.n = pool.ids, pool.values, n
        out.codes = pool.codes if e.codes != NULL else NULL
        return LEARNED
