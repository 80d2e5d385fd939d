"""Scalers and the imputer: features keep their names, values change by what was seen of them.

Each keeps a few numbers per feature, and those it has just overwritten, so that an example which
the learner behind it refuses leaves no trace.
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

from ..base.checks import choice, number
from ..base.errors import NotMergeable
from ..base.union import union_of_features
from .transformer import Transformer


cdef enum:
    KEPT = 5  # numbers per feature
    SAVED = 4  # of them in the field "stats" of a file; the last, where it is not 0, in "low"


cdef double FAR = 1e12  # square of the mean over the variance


cdef class PerFeature(TransformerState):
    """A transformer with a few numbers for each feature: the first is its total weight, the fourth
    says if it is named `name=value`, as what becomes of text is."""

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
        """Say of these features if their names are those of text."""
        cdef Py_ssize_t id
        for id in range(start, stop):
            name = None if self.features.bits >= 0 else self.features.name_of(id)
            self.stats[KEPT * id + 3] = type(name) is str and "=" in name
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)  # nobody has learned anything beyond
        return 0

    cdef bint note(self, double* stats, double value, double weight) noexcept nogil:
        """Let the numbers of one feature learn a value. False: they would leave the range."""
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
            if not self.note(stats, e.values[i], e.weight):
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
    told = {"stats": np.ascontiguousarray(stats[:, :SAVED])}
    return {**told, "low": stats[:, SAVED].copy()} if stats[:, SAVED].any() else told


cdef inline bint skipped(const Example* e, Py_ssize_t i) noexcept nogil:
    """Nominal values, and missing ones, are not scaled."""
    return e.values[i] != e.values[i] or (e.codes != NULL and e.codes[i] != NUMBER)


cdef class ScalerState(PerFeature):
    """A transformer that scales by two numbers of each feature."""

    cdef double constant(self, const double* stats, double value) noexcept nogil:
        """What becomes of a feature that never changed: 0, but a text stays what it is, 1."""
        return value if stats[3] != 0.0 and stats[1] == 1.0 else 0.0


cdef class StandardState(ScalerState):
    """Numbers of a feature: weight, mean, sum of squared deviations, mark of text; and what rounding
    took from the mean, where that is much larger than the deviation: at 1e9 its last place is 1e-7."""

    cdef bint note(self, double* stats, double value, double weight) noexcept nogil:
        cdef double total = stats[0] + weight, delta = (value - stats[1]) - stats[4]
        cdef double step = delta * (weight / total), mean = stats[1] + step, low = 0.0, moved
        # What is added to the squares is below 0 only by rounding.
        cdef double spread = stats[2] + max(0.0, weight * delta * (value - mean))
        if mean * mean * total > FAR * spread:
            moved = mean - stats[1]
            low = stats[4] + ((stats[1] - (mean - moved)) + (step - moved))
            spread = stats[2] + max(0.0, weight * delta * ((value - mean) - low))
        if not (fabs(mean) < SAFE and spread < SAFE and total < SAFE):
            return False
        stats[0], stats[1], stats[2], stats[4] = total, mean, spread, low
        return True

    cdef double scaled(self, const double* stats, double value) noexcept nogil:
        cdef double variance = stats[2] / stats[0]
        if not variance > 0.0:  # or so small that floats have no such number
            return self.constant(stats, value)
        return ((value - stats[1]) - stats[4]) / sqrt(variance)


cdef class MinMaxState(ScalerState):
    """Numbers of a feature: weight, least, largest, mark of text."""

    cdef bint note(self, double* stats, double value, double weight) noexcept nogil:
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
    """Numbers of a feature: weight, mean, was some value not 1, mark of text."""

    cdef bint mean
    cdef double value

    def __init__(self, *, bint mean, double value):
        self.mean, self.value = mean, value
        self.wants_nan = True

    cdef bint note(self, double* stats, double value, double weight) noexcept nogil:
        cdef double total = stats[0] + weight
        cdef double mean = stats[1] + (value - stats[1]) * (weight / total)
        if not (total < SAFE and fabs(mean) < SAFE):
            return False
        stats[0], stats[1] = total, mean
        if stats[3] != 0.0 and value != 1.0:  # no text after all
            stats[2] = 1.0
        return True

    cdef bint fills(self, const double* stats) noexcept nogil:
        """Is this a number that has come before? What text is not, it is 0."""
        return stats[0] > 0.0 and (stats[3] == 0.0 or stats[2] != 0.0)

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        return max(n, self.rows) + n

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        """All numbers that have come before, and what there is, in order of the features."""
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


class _PerFeature(Transformer):
    """A transformer whose states can be put together feature by feature."""

    merge_kind = "exact"

    def _merged(self, mine, theirs):
        union, places = union_of_features(mine, theirs)
        kept = {name: value for name, value in mine.items() if name != "low"}  # there may be none now
        return {**kept, **union, **self._merged_step(mine, theirs, union, places)}

    def _merged_step(self, mine, theirs, union, places):
        """What a step's own fields become; `places` says where their features go in the union."""
        rows = union["implicit"] + len(union["features"])
        if not rows:  # hashed: slot by slot
            rows = max(len(mine["stats"]), len(theirs["stats"]))
            places = np.arange(len(theirs["stats"]))
        ours, other = np.zeros((rows, KEPT)), np.zeros((rows, KEPT))
        ours[:len(mine["stats"]), :SAVED] = mine["stats"]
        ours[:len(mine["stats"]), SAVED] = mine.get("low", 0.0)
        other[places, :SAVED] = theirs["stats"]
        other[places, SAVED] = theirs.get("low", 0.0)
        with np.errstate(all="ignore"):
            stats = self._together(ours, other)
        if not (np.abs(stats) < SAFE).all():
            raise NotMergeable(
                f"{type(self).__name__}: the values seen here and there are so large that together "
                f"they leave the range of floats."
            )
        told = {"seen": mine["seen"] + theirs["seen"], **saved(stats)}
        if "start" in mine:
            told["start"] = mine["start"] + theirs["start"]
        return told


def both_means(ours, other):
    """Total weights, means and what these lack, and the part of each deviation that is due to the
    other."""
    total = ours[:, 0] + other[:, 0]
    share = np.divide(other[:, 0], total, out=np.zeros(len(total)), where=total > 0.0)
    delta = (other[:, 1] - ours[:, 1]) + (other[:, 4] - ours[:, 4])
    mean = ours[:, 1] + delta * share
    moved = mean - ours[:, 1]
    low = ours[:, 4] + ((ours[:, 1] - (mean - moved)) + (delta * share - moved))
    return total, mean, low, delta * delta * ours[:, 0] * share


class StandardScaler(_PerFeature):
    """Subtract the mean of each feature so far and divide by its standard deviation (Welford).

    A feature that was constant so far becomes 0, but text stays what it is: its feature
    `name=value`, always 1, is not scaled. Absent features stay absent. In a pipeline a row is
    first noted, then scaled, so a row that is learned is at most sqrt(n-1) after n rows.

    Examples
    --------
    >>> scaler = StandardScaler()
    >>> for value in (2, 4, 4, 4, 5, 5, 7, 9):
    ...     scaler.learn_one({"a": value})
    >>> scaler.transform_one({"a": 9})
    {'a': 2.0}
    """

    def __init__(self):
        self._begin()

    def _new_state(self):
        return StandardState()

    def _together(self, ours, other):
        total, mean, low, between = both_means(ours, other)
        spread = ours[:, 2] + other[:, 2] + between
        low = np.where(mean * mean * total > FAR * spread, low, 0.0)
        return np.column_stack([total, mean, spread, np.maximum(ours[:, 3], other[:, 3]), low])


class MinMaxScaler(_PerFeature):
    """Map the smallest value of each feature so far to 0 and the largest to 1; not clipped.

    A feature that was constant so far becomes 0, but text stays what it is: its feature
    `name=value`, always 1, is not scaled. Absent features stay absent.

    Examples
    --------
    >>> scaler = MinMaxScaler()
    >>> for value in (2, 4, 10):
    ...     scaler.learn_one({"a": value})
    >>> scaler.transform_one({"a": 6})
    {'a': 0.5}
    """

    def __init__(self):
        self._begin()

    def _new_state(self):
        return MinMaxState()

    def _together(self, ours, other):
        mine, theirs = ours[:, 0] > 0.0, other[:, 0] > 0.0
        low = np.where(mine & theirs, np.minimum(ours[:, 1], other[:, 1]), ours[:, 1] + other[:, 1])
        high = np.where(mine & theirs, np.maximum(ours[:, 2], other[:, 2]), ours[:, 2] + other[:, 2])
        indicators = np.maximum(ours[:, 3], other[:, 3])
        return np.column_stack([ours[:, 0] + other[:, 0], low, high, indicators, 0.0 * low])


class Imputer(_PerFeature):
    """Fill in what is missing: None, NaN, or a feature that was seen before and is absent.

    Only numbers are filled in, from the first that was learned of a feature on. Text stays what it
    is: of `colour` there is one value, or none.

    Parameters
    ----------
    strategy : "mean" or "constant", default "mean"
        The mean of the feature so far, or always `value`.
    value : float, default 0.0
        What "constant" fills in.

    Examples
    --------
    >>> imputer = Imputer()
    >>> imputer.learn_one({"a": 1.0, "b": 2.0})
    >>> imputer.learn_one({"a": 3.0, "b": None})
    >>> imputer.transform_one({"b": 5.0})
    {'a': 2.0, 'b': 5.0}
    """

    def __init__(self, *, strategy="mean", value=0.0):
        self.strategy = choice(self, "strategy", strategy, ("mean", "constant"))
        self.value = number(self, "value", value, least=-SAFE, most=SAFE)
        self._begin()

    def _new_state(self):
        return ImputerState(mean=self.strategy == "mean", value=self.value)

    def _together(self, ours, other):
        total, mean, _, _ = both_means(ours, other)
        return np.column_stack([total, mean, np.maximum(ours[:, 2:], other[:, 2:])])
