"""What all drift detectors share: the values they take, and the verb for one value, compiled."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact

import numpy as np

from ..core.arrays cimport doubles, int64s

from ..core.coerce import coerce_number, coerce_numbers

LARGEST = 1e100  # larger values would overflow sums of squares


cdef class DetectorState:
    """A detector writes its `push`; one that takes errors only narrows the range of values."""

    def __cinit__(self, *parameters):
        self.who = ""
        self.low, self.high, self.only_ends = -LARGEST, LARGEST, False

    cdef void push(self, double v) noexcept nogil:
        """Take one value and set `drift` and `warning`."""

    cdef bint fits(self, double v) noexcept nogil:
        """May `push` be given this value?"""
        return self.low <= v <= self.high and (not self.only_ends or v == self.low or v == self.high)

    cdef double coerce(self, object v) except? -1.0:
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
        if self.only_ends:
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

    def memory(self):
        """Bytes held."""
        return 128


cdef class DetectorBase:
    """The part of a detector that compiled code can look into, and what is asked for every value."""

    def update(self, v):
        """Take the next value. True: the values have changed."""
        cdef DetectorState state = state_of(self)
        state.push(state.coerce(v))
        state.seen += 1
        return state.drift

    @property
    def drift(self):
        """What the last `update` returned."""
        return state_of(self).drift

    @property
    def warning(self):
        """Did the last value make a change likely, though not sure?"""
        return state_of(self).warning

    @property
    def seen(self):
        """How many values were taken."""
        return state_of(self).seen


cdef inline DetectorState state_of(object detector):
    """The state of any detector whose constructor has run. A method may be called with anything."""
    cdef DetectorState state = (<DetectorBase?> detector)._state
    if state is None:
        raise TypeError(f"{type(detector).__name__}: its __init__ must call that of its base first.")
    return state
