"""Scalers and the imputer: features keep their names, values change by what was seen of them.

Each keeps a few numbers per feature, and those it has just overwritten, so that they can be put back
if the learner at the end of the pipeline refuses the example.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN, fabs, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport fill, floats
from ..core.encoder cimport Encoder, bounded
from ..core.example cimport LEARNED, NO_MEMORY, NUMBER, OVERFLOW, SAFE, Example, feature
from ..core.memory cimport release, resize, roomier
from ..core.transformer cimport Pool, TransformerState


cdef extern from "scalers.h" nogil:
    bint onstream_learn_standard(
        double* weights, double* means, double* squares, double* lows, double* units,
        const double* x, double weight, double far, Py_ssize_t n)
    bint onstream_learn_range(
        double* weights, double* least, double* most, double* units, const double* x,
        double weight, Py_ssize_t n)
    void onstream_scale_row(
        double* out, const double* x, const double* centres, const double* lows,
        const double* units, const double* text, Py_ssize_t n)


cpdef enum:
    KEPT = 5  # numbers per feature
    SAVED = 4  # of them in the field "stats" of a file; the last, where it is not 0, in "low"

cdef enum:  # rows of `kept`
    WEIGHT     # in total
    FIRST      # the mean, or the least value
    SECOND     # the sum of squared deviations, or the largest value; see each state
    LOW        # what rounding took from the mean
    N_LEARNED  # 4: examples change the rows above
    UNIT = 4   # what a scaler divides by, which follows from these; 0: the feature never changed
    TEXT       # 1 if the feature is called `name=value`, as a value of text is
    N_ROWS


FIELDS = (WEIGHT, FIRST, SECOND, TEXT, LOW)  # the numbers in the order of files
FAR = 1e12  # square of the mean over the variance, beyond which the mean needs more digits
cdef double far = FAR


cdef class PerFeature(TransformerState):
    """A transformer with a few numbers for each feature."""

    cdef double* kept[6]        # N_ROWS rows, a number for every feature in each
    cdef Py_ssize_t rows        # features that have them
    cdef Py_ssize_t room
    cdef int32_t* old_ids       # what the last example has overwritten; of a dense one without ids
    cdef double* old            # N_LEARNED rows of old_room numbers
    cdef Py_ssize_t old_n
    cdef Py_ssize_t old_room
    cdef bint old_dense

    def __dealloc__(self):
        cdef Py_ssize_t k
        for k in range(N_ROWS):
            release(self.kept[k])
        PyMem_RawFree(self.old_ids)
        PyMem_RawFree(self.old)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        features.blank_step = self.who
        return TransformerState.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, k
        if width > self.room:
            room = roomier(self.room, width)
            for k in range(N_ROWS):
                self.kept[k] = <double*> resize(
                    self.kept[k], self.room * sizeof(double), room * sizeof(double))
            self.room = room
        if width > self.rows:
            self.mark(self.rows, width)
            self.rows = width
        return 0

    cdef int mark(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Note which of these features are values of text."""
        cdef Py_ssize_t id
        for id in range(start, stop):
            name = None if self.features.bits >= 0 else self.features.name_of(id)
            self.kept[TEXT][id] = type(name) is str and "=" in name
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)  # the features beyond have no numbers yet
        return 0

    # -- learning -------------------------------------------------------------------------------

    cdef bint update(self, Py_ssize_t id, double value, double weight) noexcept nogil:
        """Learn a value of one feature. False: its numbers would leave the range of floats."""
        return True

    cdef bint update_row(self, const double* x, Py_ssize_t n, double weight) noexcept nogil:
        """`update` features 0 ... n-1. False: some numbers may have left the range."""
        cdef Py_ssize_t i
        for i in range(n):
            if x[i] == x[i] and not self.update(i, x[i], weight):
                return False
        return True

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i, k
        cdef int32_t id
        self.old_n = 0
        if self.make_old(e.n) != LEARNED:
            return NO_MEMORY
        self.old_dense = e.n > 0 and e.ids == NULL and e.codes == NULL
        if self.old_dense:
            self.old_n = e.n
            for k in range(N_LEARNED):
                memcpy(self.old + k * self.old_room, self.kept[k], e.n * sizeof(double))
            if self.update_row(e.values, e.n, e.weight):
                return LEARNED
            self.undo()
            return OVERFLOW
        for i in range(e.n):
            if skipped(e, i):
                continue
            id = feature(e, i)
            self.old_ids[self.old_n] = id
            for k in range(N_LEARNED):
                self.old[k * self.old_room + self.old_n] = self.kept[k][id]
            self.old_n += 1
            if not self.update(id, e.values[i], e.weight):
                self.undo()
                return OVERFLOW
        return LEARNED

    cdef int make_old(self, Py_ssize_t n) noexcept nogil:
        """Make room for what n features had."""
        if n <= self.old_room:
            return LEARNED
        PyMem_RawFree(self.old_ids)
        PyMem_RawFree(self.old)
        self.old_ids = <int32_t*> PyMem_RawMalloc(2 * n * sizeof(int32_t))
        self.old = <double*> PyMem_RawMalloc(2 * n * N_LEARNED * sizeof(double))
        self.old_room = 2 * n
        if self.old_ids == NULL or self.old == NULL:
            self.old_room = 0
            return NO_MEMORY
        return LEARNED

    cdef void undo(self) noexcept nogil:
        cdef Py_ssize_t i, k, id
        for i in range(self.old_n):
            id = i if self.old_dense else self.old_ids[i]
            for k in range(N_LEARNED):
                self.kept[k][id] = self.old[k * self.old_room + i]
            self.kept[UNIT][id] = self.unit(id)
        self.old_n = 0

    # -- files ------------------------------------------------------------------------------------

    def export_own(self):
        cdef Py_ssize_t width = self.features.width, k
        self.reserve(width)
        return saved(np.column_stack([floats(self.kept[k], width) for k in FIELDS]))

    def restore_own(self, fields):
        cdef Py_ssize_t width = self.features.width, id
        self.reserve(width)
        stats = np.zeros((width, KEPT))
        stats[:, :SAVED] = fields.array("stats", (width, SAVED))
        if not fields.missing("low"):
            stats[:, SAVED] = fields.array("low", (width,))
        if (stats[:, 0] < 0.0).any():
            raise ValueError("a weight in stats is negative")
        for k, numbers in zip(FIELDS, stats.T, strict=True):
            fill(self.kept[<Py_ssize_t> k], numbers)
        self.mark(0, width)
        for id in range(width):
            self.kept[UNIT][id] = self.unit(id)

    cdef double unit(self, Py_ssize_t id) noexcept nogil:
        """UNIT of a feature, from its other numbers."""
        return 0.0

    def own_bytes(self):
        return TransformerState.own_bytes(self) + (
            N_ROWS * 8 * self.room + (4 + N_LEARNED * 8) * self.old_room)


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
    """A transformer that subtracts FIRST and LOW, and divides by UNIT. A feature that never changed
    becomes 0, but stays 1 if it is a value of text."""

    def scales(self):
        return True

    cdef double scaled(self, Py_ssize_t id, double value) noexcept nogil:
        cdef double centre = self.kept[FIRST][id], unit = self.kept[UNIT][id]
        if not unit > 0.0:
            return value if self.kept[TEXT][id] != 0.0 and centre == 1.0 else 0.0
        return bounded(((value - centre) - self.kept[LOW][id]) / unit)

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i
        cdef int32_t id
        cdef double* values = pool.values
        if e.ids == NULL and e.codes == NULL and e.n <= self.rows:
            onstream_scale_row(
                values, e.values, self.kept[FIRST], self.kept[LOW], self.kept[UNIT],
                self.kept[TEXT], e.n)
        else:
            for i in range(e.n):
                id = feature(e, i)
                if skipped(e, i) or id >= self.rows:
                    values[i] = e.values[i]
                else:
                    values[i] = self.scaled(id, e.values[i])
        out.values = values
        return LEARNED


cdef class StandardState(ScalerState):
    """FIRST is the mean, SECOND the sum of squared deviations, LOW what rounding took from the mean,
    where that is much larger than the deviation: at 1e9 its last place is 1e-7."""

    cdef bint update(self, Py_ssize_t id, double value, double weight) noexcept nogil:
        # Welford: the mean moves by its share of the deviation.
        cdef double before = self.kept[FIRST][id]
        cdef double total = self.kept[WEIGHT][id] + weight, delta = (value - before) - self.kept[LOW][id]
        cdef double step = delta * (weight / total), mean = before + step, low = 0.0, moved
        # What is added to the squares is below 0 only by rounding.
        cdef double squares = self.kept[SECOND][id] + max(0.0, weight * delta * (value - mean))
        # A mean far from 0: keep what rounding took from it, by a compensated sum.
        if mean * mean * total > far * squares:
            moved = mean - before
            low = self.kept[LOW][id] + ((before - (mean - moved)) + (step - moved))
            squares = self.kept[SECOND][id] + max(0.0, weight * delta * ((value - mean) - low))
        if not (fabs(mean) < SAFE and squares < SAFE and total < SAFE):
            return False
        self.kept[WEIGHT][id], self.kept[FIRST][id], self.kept[SECOND][id] = total, mean, squares
        self.kept[LOW][id], self.kept[UNIT][id] = low, root(squares / total)
        return True

    cdef bint update_row(self, const double* x, Py_ssize_t n, double weight) noexcept nogil:
        return onstream_learn_standard(
            self.kept[WEIGHT], self.kept[FIRST], self.kept[SECOND], self.kept[LOW],
            self.kept[UNIT], x, weight, far, n)

    cdef double unit(self, Py_ssize_t id) noexcept nogil:
        return root(self.kept[SECOND][id] / self.kept[WEIGHT][id])


cdef inline double root(double variance) noexcept nogil:
    """The deviation; 0 also of a variance so small that floats have no such number."""
    return sqrt(variance) if variance > 0.0 else 0.0


cdef class MinMaxState(ScalerState):
    """FIRST is the least value, SECOND the largest."""

    cdef bint update(self, Py_ssize_t id, double value, double weight) noexcept nogil:
        cdef double low = value, high = value
        if self.kept[WEIGHT][id] > 0.0:
            low, high = min(self.kept[FIRST][id], value), max(self.kept[SECOND][id], value)
        if not (self.kept[WEIGHT][id] + weight < SAFE and fabs(value) < SAFE):
            return False
        self.kept[WEIGHT][id] += weight
        self.kept[FIRST][id], self.kept[SECOND][id], self.kept[UNIT][id] = low, high, high - low
        return True

    cdef bint update_row(self, const double* x, Py_ssize_t n, double weight) noexcept nogil:
        return onstream_learn_range(
            self.kept[WEIGHT], self.kept[FIRST], self.kept[SECOND], self.kept[UNIT], x, weight, n)

    cdef double unit(self, Py_ssize_t id) noexcept nogil:
        return self.kept[SECOND][id] - self.kept[FIRST][id]


cdef class ImputerState(PerFeature):
    """FIRST is the mean, SECOND is 1 if some value of a feature that looks like text was not 1."""

    cdef bint mean
    cdef double value

    def __init__(self, bint mean, double value):
        self.mean, self.value = mean, value
        self.wants_nan = True

    cdef bint update(self, Py_ssize_t id, double value, double weight) noexcept nogil:
        cdef double total = self.kept[WEIGHT][id] + weight
        cdef double mean = self.kept[FIRST][id] + (value - self.kept[FIRST][id]) * (weight / total)
        if not (total < SAFE and fabs(mean) < SAFE):
            return False
        self.kept[WEIGHT][id], self.kept[FIRST][id] = total, mean
        if self.kept[TEXT][id] != 0.0 and value != 1.0:  # no text after all
            self.kept[SECOND][id] = 1.0
        return True

    cdef bint fills(self, Py_ssize_t id) noexcept nogil:
        """Is this a number that has come before? An absent value of text is 0, which is not filled in."""
        return self.kept[WEIGHT][id] > 0.0 and (
            self.kept[TEXT][id] == 0.0 or self.kept[SECOND][id] != 0.0)

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
                if not self.fills(i):
                    continue
                pool.values[i] = self.kept[FIRST][i] if self.mean else self.value
            pool.ids[n], pool.codes[n], pool.values[n] = pool.ids[i], pool.codes[i], pool.values[i]
            n += 1
        out.ids, out.values, out.n = pool.ids, pool.values, n
        out.codes = pool.codes if e.codes != NULL else NULL
        return LEARNED
