"""What all drift detectors share: taking values, telling of a change, copies, state on disk."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact

import numpy as np

from ..core.arrays cimport doubles, int64s
from ..base.part import StatefulPart
from ..core.coerce import coerce_number, coerce_numbers


LARGEST = 1e100  # larger values would overflow sums of squares


cdef class DetectorState:
    def __cinit__(self, str who, double low=-LARGEST, double high=LARGEST, bint whole=False):
        self.who = who
        self.low, self.high, self.whole = low, high, whole
        self.seen = 0
        self.drift = self.warning = False

    cdef void push(self, double v) noexcept nogil:
        """Take one value and set `drift` and `warning`."""

    cdef bint fits(self, double v) noexcept nogil:
        """Is this a value that `push` may be given?"""
        return self.low <= v <= self.high and (not self.whole or v == self.low or v == self.high)

    cdef double plain(self, object v) except? -1.0:
        """A value as a float, or an error that says what is wrong with it."""
        cdef double value
        if PyFloat_CheckExact(v):
            value = PyFloat_AS_DOUBLE(v)
        elif v is True or v is False:
            value = v
        else:
            value = coerce_number(self.who, v)
        if not self.fits(value):
            raise ValueError(f"{self.who}: {self.wanted()}, got {value!r}.")
        return value

    def wanted(self):
        """Which values are taken."""
        if self.whole:
            return "a value must be 0 (right) or 1 (wrong)"
        if self.high < LARGEST:
            return f"a value must be from {self.low:g} to {self.high:g}"
        return f"a value must be finite and at most {LARGEST:g} in size"

    def update_many(self, values):
        """Take all values, or none if one of them is refused: where the changes were."""
        array = coerce_numbers(self.who, values)
        cdef Py_ssize_t n = array.shape[0], i, found = 0
        cdef const double* v = doubles(array)
        alarms = np.empty(n, dtype=np.int64)
        cdef int64_t* at = int64s(alarms)
        for i in range(n):
            if not self.fits(v[i]):
                raise ValueError(f"{self.who}: item {i}: {self.wanted()}, got {v[i]!r}.")
        for i in range(n):  # with the GIL: it is what keeps two threads apart here
            self.push(v[i])
            at[found] = i
            found += self.drift
        self.seen += n
        return alarms[:found].copy()

    def export(self):
        """Everything that was learned, as plain numbers and arrays."""
        return {"seen": self.seen, "drift": self.drift, "warning": self.warning}

    def restore(self, fields):
        """Take over an exported state (a `StateReader`); this state is new."""
        self.seen = fields.integer("seen", 0, 2**61)
        self.drift = bool(fields.flag("drift"))
        self.warning = bool(fields.flag("warning"))

    def snapshot(self):
        """The same as `export`."""
        return self.export()

    def memory(self):
        """Bytes held."""
        return 128


class Detector(StatefulPart):
    """A drift detector: it watches a sequence of numbers and tells when they change.

    A learner that is given one as a parameter clones it, and keeps the clone's state as its own.
    Subclasses check their parameters, then call `_begin`.
    """

    def update(self, v):
        """Take the next value. True: the values have changed."""
        cdef DetectorState state = self._state
        state.push(state.plain(v))
        state.seen += 1
        return state.drift

    def update_many(self, values):
        """Take many values: the indices (from 0) at which a change was found."""
        return self._state.update_many(values)

    @property
    def drift(self):
        """What the last `update` returned."""
        return self._state.drift

    @property
    def warning(self):
        """Did the last value make a change likely, though not sure?"""
        return self._state.warning

    @property
    def seen(self):
        """How many values were taken."""
        return self._state.seen

    @property
    def memory_bytes(self):
        """Bytes held by what was learned, C buffers included."""
        return self._state.memory()
