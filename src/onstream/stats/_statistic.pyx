"""What all statistics share: the values they take, merging, and the verbs for one value, compiled."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from libc.math cimport isfinite

import numpy as np

from ..core.arrays cimport doubles

from ..base.errors import NotMergeable
from ..core.coerce import coerce_number, coerce_numbers

LARGEST = 1e100  # larger values would overflow sums of squares
cdef double MOST = LARGEST


cdef class StatisticState:
    """A statistic writes `push` and `value`; one that can be merged writes `absorb`, too."""

    def __cinit__(self, *parameters):
        self.who = ""

    cdef void push(self, double v, double w) noexcept:
        """Take the value v with importance w > 0. `n` counts it already."""

    cdef object value(self):
        return None

    cdef int absorb(self, StatisticState other) except -1:
        """Become the statistic of both. `n` is still that of this one."""
        raise NotMergeable(f"{self.who} cannot be merged.")

    cdef int update(self, object v, object w) except -1:
        cdef double value = PyFloat_AS_DOUBLE(v) if PyFloat_CheckExact(v) else coerce_number(self.who, v)
        cdef double weight = PyFloat_AS_DOUBLE(w) if PyFloat_CheckExact(w) else coerce_number(self.who, w)
        if not -MOST <= value <= MOST:
            raise ValueError(
                f"{self.who}: a value must be finite and at most {LARGEST:g} in size, got {v!r:.80}."
            )
        if not 0.0 <= weight <= MOST:
            raise ValueError(f"{self.who}: the weight w must be at least 0 and finite, got {w!r:.80}.")
        if weight > 0.0:
            self.n += weight
            self.push(value, weight)
        return 0

    def update_many(self, values, w):
        """All values, or none if one of them is refused."""
        cdef Py_ssize_t i, n
        array = coerce_numbers(self.who, values)
        weights = np.ones(len(array)) if w is None else coerce_numbers(self.who, w)
        if len(weights) != len(array):
            raise ValueError(f"{self.who}: there are {len(array):,} values and {len(weights):,} weights.")
        for name, numbers, low in (("the value", array, -LARGEST), ("the weight w", weights, 0.0)):
            bad = ~((numbers >= low) & (numbers <= LARGEST))
            if bad.any():
                i = np.argmax(bad)
                raise ValueError(
                    f"{self.who}: item {i}: {name} must be from {low:g} to {LARGEST:g}, "
                    f"got {numbers[i]!r}."
                )
        cdef const double* v = doubles(array)
        cdef const double* u = doubles(weights)
        n = len(array)
        for i in range(n):
            if u[i] > 0.0:
                self.n += u[i]
                self.push(v[i], u[i])

    cdef object get(self):
        value = self.value()
        if value is not None and not isfinite(value):
            raise ValueError(
                f"{self.who}: the values were too large: their sum is beyond the range of floats."
            )
        return value

    def merge(self, StatisticState other not None):
        self.absorb(other)
        self.n += other.n

    def export(self):
        """Everything that was learned, as plain numbers and arrays."""
        return {"n": self.n}

    def restore(self, fields):
        """Take over an exported state (a `StateReader`); this state is new."""
        self.n = fields.number("n", 0.0, 1e290)

    cdef double bounded(self, object fields, str name, double most) except? -1.0:
        """A number of a file that is at most so large, as values are; 0 before any came."""
        most *= 1.0 + 1e-9  # rounding
        return fields.number(name, -most, most) if self.n > 0.0 else fields.number(name, 0.0, 0.0)


cdef class StatisticBase:
    """The part of a statistic that compiled code can look into, and what is asked for every value."""

    def update(self, v, w=1.0):
        """Take the next value, with importance `w`: 2 is as good as the value twice."""
        state_of(self).update(v, w)

    @property
    def value(self):
        """The statistic of the values taken so far."""
        return state_of(self).get()

    def get(self):
        """The same as `value`."""
        return state_of(self).get()

    @property
    def n(self):
        """How many values were taken: the sum of their weights."""
        return state_of(self).n


cdef inline StatisticState state_of(object statistic):
    """The state of any statistic whose constructor has run. A method may be called with anything."""
    cdef StatisticState state = (<StatisticBase?> statistic)._state
    if state is None:
        raise TypeError(f"{type(statistic).__name__}: its __init__ must call that of its base first.")
    return state
