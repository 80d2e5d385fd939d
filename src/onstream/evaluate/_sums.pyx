"""The sums that metrics are made of, over all examples, the last few, or with fading memory.

A metric is a formula over such sums; several metrics can share them. Fading multiplies no sum:
the weight of the newest example grows by 1/alpha instead, and only ratios are ever shown. A
window keeps its examples and counts them again when a value is asked for: nothing is ever
subtracted, so no rounding piles up, and the value is that of these examples alone.
docs/decisions.md#fading, #windowed-metrics
"""

from libc.math cimport INFINITY, NAN, fabs, log
from libc.string cimport memcpy, memmove

import numpy as np

from ..core.arrays cimport doubles, matrix
from ..core.memory cimport release, resize
from .columns import HEAVIEST, number_column, plain_number, weight_column


cdef double NEAR_END = 1e300  # what is smaller can be added without overflow


cdef class Sums:
    def __cinit__(self, Py_ssize_t window=0, double alpha=1.0, *more):
        self.window = window
        self.alpha = alpha
        self.gain = 1.0
        self.growth = 1.0 / alpha

    def __dealloc__(self):
        release(self.tail)

    cdef int hold(self, Py_ssize_t columns) except -1:
        """Each buffered example takes `columns` numbers, the last of them its weight."""
        self.columns = columns
        if self.window:
            self.tail = <double*> resize(NULL, 0, 2 * self.window * columns * sizeof(double))
        return 0

    # -- one example ---------------------------------------------------------------------------

    cdef void add(self, const double* row) noexcept nogil:
        if row[self.columns - 1] == 0.0:  # weight 0: nothing happened
            return
        self.n += 1
        if self.window:
            self.push(row)
        else:
            self.count(row)
            self.fade()

    cdef void fade(self) noexcept nogil:
        if self.alpha != 1.0:
            self.gain *= self.growth
            if self.gain > 1e150:
                self.scale(1.0 / self.gain)
                self.gain = 1.0

    cdef void push(self, const double* row) noexcept nogil:
        cdef Py_ssize_t c = self.columns, w = self.window
        if self.end == 2 * w:  # keep the last window - 1, so that moving costs O(1) an example
            memmove(self.tail, self.tail + (w + 1) * c, (w - 1) * c * sizeof(double))
            self.end = w - 1
        memcpy(self.tail + self.end * c, row, c * sizeof(double))
        self.end += 1
        self.stale = True

    cdef void refresh(self) noexcept nogil:
        cdef Py_ssize_t i
        if not self.stale:
            return
        self.clear()
        for i in range(max(0, self.end - self.window), self.end):
            self.count(self.tail + i * self.columns)
        self.stale = False

    def reset(self):
        """Forget all examples."""
        self.clear()
        self.n = self.end = 0
        self.gain = 1.0
        self.stale = False

    # -- what a kind of sums adds ----------------------------------------------------------------

    cdef void count(self, const double* row) noexcept nogil:
        """Add an example to the sums with its weight times `gain`."""

    cdef void clear(self) noexcept nogil:
        """All sums become 0."""

    cdef void scale(self, double factor) noexcept nogil:
        """All sums are multiplied."""

    # -- merging and copies ----------------------------------------------------------------------

    cdef double age(self, Sums other) noexcept:
        """Fade the sums by the examples of `other`, and return the factor for the sums of `other`."""
        self.scale(self.alpha ** other.n / self.gain)
        self.gain = 1.0
        return 1.0 / other.gain

    def window_rows(self):
        """The examples in the window, oldest first."""
        cdef Py_ssize_t first = max(0, self.end - self.window), rows = self.end - first
        return matrix(self.tail + first * self.columns, rows, self.columns, self.columns)

    cdef int push_rows(self, object rows) except -1:
        cdef Py_ssize_t i
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        for i in range(len(rows)):
            self.push(doubles(rows) + i * self.columns)
        return 0

    def export(self):
        fields = {"n": self.n, "gain": self.gain}
        return {**fields, "tail": self.window_rows()} if self.window else fields

    def restore(self, fields):
        self.n = fields["n"]
        self.gain = fields["gain"]
        if self.window:
            self.push_rows(fields["tail"])

    def __reduce__(self):
        return restored, (type(self), (self.window, self.alpha), self.export())


def restored(cls, parameters, fields):
    """Unpickle."""
    sums = cls(*parameters)
    sums.restore(fields)
    return sums


# -- numbers --------------------------------------------------------------------------------------


cdef class Residuals(Sums):
    """Of numbers and their predictions: absolute and squared errors, spread of the numbers.

    The mean is a sum of two doubles: one alone, 10^15 away from 0, would not have the digits that
    tell how far the numbers lie from it.
    """

    cdef double weight, absolute, squared, mean, rest, spread

    def __init__(self, window=0, alpha=1.0):
        self.hold(3)

    cdef void count(self, const double* row) noexcept nogil:
        cdef double y = row[0], e = row[1] - row[0], w, d
        if self.gain > 1.0 and self.near_end(row):
            self.scale(1.0 / self.gain)
            self.gain = 1.0
        w = row[2] * self.gain
        d = (y - self.mean) - self.rest
        self.weight += w
        self.absolute += w * fabs(e)
        self.squared += w * e * e
        self.move(d * (w / self.weight))
        self.spread += w * d * ((y - self.mean) - self.rest)

    cdef bint near_end(self, const double* row) noexcept nogil:
        """Would a sum, multiplied by `gain`, come near the largest double?"""
        cdef double e = fabs(row[1] - row[0]), w = row[2] * self.gain
        cdef double d = fabs((row[0] - self.mean) - self.rest)
        return not (
            self.absolute + w * e < NEAR_END
            and self.squared + w * e * e < NEAR_END
            and self.spread + w * d * d < NEAR_END)

    cdef inline void move(self, double step) noexcept nogil:
        """Add to the mean; what its first part has no digits for goes to the rest."""
        cdef double old = self.mean, moved
        step += self.rest
        moved = old + step
        self.rest = (old - (moved - (moved - old))) + (step - (moved - old))
        self.mean = moved

    cdef void clear(self) noexcept nogil:
        self.weight = self.absolute = self.squared = self.mean = self.rest = self.spread = 0.0

    cdef void scale(self, double factor) noexcept nogil:
        self.weight *= factor
        self.absolute = times(self.absolute, factor)
        self.squared = times(self.squared, factor)
        self.spread = times(self.spread, factor)

    def add_one(self, y, p, w=1.0):
        cdef double row[3]
        row[0], row[1], row[2] = number(y, "y"), number(p, "the prediction"), weight_of(w)
        self.add(row)

    def add_many(self, y, p, w=None):
        """Add all pairs, or none."""
        y, p = number_column(y, "y"), number_column(p, "the prediction")
        if len(y) != len(p):
            raise ValueError(f"y has {len(y):,} rows, the predictions have {len(p):,}.")
        self.add_columns(y, p, weight_column(w, len(y)))

    def add_columns(self, y, p, w, Py_ssize_t start=0, stop=None):
        """The same for rows start ... stop-1 of arrays known to be good."""
        cdef Py_ssize_t i, end = len(y) if stop is None else stop
        cdef const double* ys = doubles(y)
        cdef const double* ps = doubles(p)
        cdef const double* ws = doubles(w)
        cdef double row[3]
        for i in range(start, end):
            row[0], row[1], row[2] = ys[i], ps[i], ws[i] if ws != NULL else 1.0
            self.add(row)

    def mae(self):
        self.refresh()
        return self.absolute / self.weight if self.weight > 0.0 else 0.0

    def mse(self):
        self.refresh()
        return self.squared / self.weight if self.weight > 0.0 else 0.0

    def r2(self):
        self.refresh()
        if not self.spread < INFINITY:  # the numbers are too large for their squares
            return NAN
        return 1.0 - self.squared / self.spread if self.spread > 0.0 else 0.0

    def merge(self, Residuals other):
        cdef double factor, w, d
        if self.window:
            self.push_rows(other.window_rows())
            self.n += other.n
            return
        factor = self.age(other)
        w = factor * other.weight
        d = (other.mean - self.mean) + (other.rest - self.rest)
        if self.weight == 0.0:
            self.mean, self.rest, self.spread = other.mean, other.rest, factor * other.spread
        elif w > 0.0:
            self.spread += factor * other.spread + d * d * (self.weight * (w / (self.weight + w)))
            self.move(d * (w / (self.weight + w)))
        self.weight += w
        self.absolute += factor * other.absolute
        self.squared += factor * other.squared
        self.n += other.n

    def export(self):
        sums = (self.weight, self.absolute, self.squared, self.mean, self.rest, self.spread)
        return {**Sums.export(self), "sums": sums}

    def restore(self, fields):
        Sums.restore(self, fields)
        self.weight, self.absolute, self.squared, self.mean, self.rest, self.spread = fields["sums"]


cdef inline double times(double sum, double factor) noexcept nogil:
    """A sum that has overflowed stays infinite, even if the factor has become 0."""
    return sum * factor if sum < INFINITY else sum


cdef class LogLossSum(Sums):
    """Of probabilities: -ln of what the true label was given."""

    cdef double weight, loss

    def __init__(self, window=0, alpha=1.0):
        self.hold(2)

    cdef void count(self, const double* row) noexcept nogil:
        self.weight += row[1] * self.gain
        self.loss += row[1] * self.gain * row[0]

    cdef void clear(self) noexcept nogil:
        self.weight = self.loss = 0.0

    cdef void scale(self, double factor) noexcept nogil:
        self.weight *= factor
        self.loss *= factor

    def add_one(self, y, p, w=1.0):
        """p: the probability that the true label had."""
        cdef double row[2]
        row[0], row[1] = -log(max(<double> p, 1e-15)), weight_of(w)
        self.add(row)

    def add_plain(self, y, p, w):
        """The usual case: a label that is 0, 1 or a bool, and the probability of 1, a float. False:
        it is something else, and nothing happened."""
        cdef double row[2]
        if not (type(y) is bool or type(y) is int) or type(p) is not float:
            return False
        if not 0.0 <= <double> p <= 1.0 or not (y == 0 or y == 1):
            return False
        row[0], row[1] = -log(max(<double> p if y == 1 else 1.0 - <double> p, 1e-15)), weight_of(w)
        self.add(row)
        return True

    def add_columns(self, p, w, Py_ssize_t start=0, stop=None):
        """p: the probability that the true label had, one per example."""
        cdef Py_ssize_t i, end = len(p) if stop is None else stop
        cdef const double* ps = doubles(p)
        cdef const double* ws = doubles(w)
        cdef double row[2]
        for i in range(start, end):
            row[0], row[1] = -log(max(ps[i], 1e-15)), ws[i] if ws != NULL else 1.0
            self.add(row)

    def mean(self):
        self.refresh()
        return self.loss / self.weight if self.weight > 0.0 else 0.0

    def merge(self, LogLossSum other):
        cdef double factor
        if self.window:
            self.push_rows(other.window_rows())
        else:
            factor = self.age(other)
            self.weight += factor * other.weight
            self.loss += factor * other.loss
        self.n += other.n

    def export(self):
        return {**Sums.export(self), "sums": (self.weight, self.loss)}

    def restore(self, fields):
        Sums.restore(self, fields)
        self.weight, self.loss = fields["sums"]


# -- what comes in ----------------------------------------------------------------------------------


cdef double weight_of(object w) except? -1.0:
    cdef double weight = number(w, "the weight w")
    if not 0.0 <= weight <= HEAVIEST:
        raise ValueError(f"the weight w must be from 0 to {HEAVIEST:g}, got {w!r:.80}.")
    return weight


cdef double number(object value, str name) except? -1.0:
    """A finite number; usually it is a float already."""
    if type(value) is float and -INFINITY < <double> value < INFINITY:
        return value
    return plain_number(value, name)
