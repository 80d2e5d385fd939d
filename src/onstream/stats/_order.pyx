"""Smallest, largest, and quantiles: the states."""

from libc.stdint cimport int64_t

import numpy as np

from ._statistic cimport StatisticState

from ..base.errors import NotMergeable
from ._statistic import LARGEST


cdef class ExtremeState(StatisticState):
    cdef double sign  # -1: the largest
    cdef double best
    cdef bint any

    def __init__(self, double sign):
        self.sign = sign

    cdef void push(self, double v, double w) noexcept:
        if not self.any or self.sign * v < self.sign * self.best:
            self.best = v
        self.any = True

    cdef object value(self):
        return self.best if self.any else None

    cdef int absorb(self, StatisticState other) except -1:
        cdef ExtremeState they = other
        if they.any:
            self.push(they.best, 1.0)
        return 0

    def export(self):
        return {**StatisticState.export(self), "best": self.best, "any": bool(self.any)}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.best = self.bounded(fields, "best", LARGEST)
        self.any = bool(fields.flag("any"))
        if self.any != (self.n > 0.0):
            raise ValueError(f"any does not fit a weight of {self.n:g}")


cdef class RollingState(StatisticState):
    cdef double sign         # -1: the largest
    cdef Py_ssize_t window
    cdef int64_t clock       # values so far
    cdef list queue          # (when, sign * value): values rise from the front to the back
    cdef Py_ssize_t front    # where the queue begins

    def __init__(self, double sign, Py_ssize_t window):
        self.sign, self.window = sign, window
        self.queue = []

    cdef void push(self, double v, double w) noexcept:
        v *= self.sign
        self.clock += 1
        while len(self.queue) > self.front and <double> self.queue[-1][1] >= v:
            self.queue.pop()
        self.queue.append((self.clock, v))
        while <int64_t> self.queue[self.front][0] <= self.clock - self.window:
            self.front += 1
        if 2 * self.front > len(self.queue):
            del self.queue[:self.front]
            self.front = 0

    cdef object value(self):
        return self.sign * <double> self.queue[self.front][1] if self.queue else None

    cdef int absorb(self, StatisticState other) except -1:
        raise NotMergeable(f"{self.who}: two windows cannot become one.")

    def export(self):
        rows = np.array(self.queue[self.front:], dtype=np.float64).reshape(-1, 2)
        return {
            **StatisticState.export(self), "clock": self.clock,
            "when": rows[:, 0].astype(np.int64), "values": self.sign * rows[:, 1],
        }

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.clock = fields.integer("clock", 0)
        when = fields.integers("when", (-1,), max(1, self.clock - self.window + 1), self.clock)
        values = self.sign * fields.array("values", when.shape)
        if (np.diff(when) <= 0).any() or (np.diff(values) <= 0).any():
            raise ValueError("the values are not in the order of a queue")
        if (len(when) == 0) != (self.clock == 0) or (len(when) and when[-1] != self.clock):
            raise ValueError("the latest value is missing")
        if (self.clock > 0) != (self.n > 0.0) or (np.abs(values) > LARGEST).any():
            raise ValueError("the values do not fit")
        self.queue = list(zip(when.tolist(), values.tolist(), strict=True))


cdef class P2State(StatisticState):
    cdef double theta
    cdef double count        # values so far
    cdef double height[5]    # the markers: smallest, theta/2, theta, (1 + theta)/2, largest
    cdef double place[5]     # how many values are at most as large as each

    def __init__(self, double theta):
        self.theta = theta

    cdef void push(self, double v, double w) noexcept:
        cdef int i, k
        self.count += 1.0
        if self.count <= 5.0:
            k = <int> self.count - 1
            while k > 0 and self.height[k - 1] > v:
                self.height[k] = self.height[k - 1]
                k -= 1
            self.height[k] = v
            for i in range(5):
                self.place[i] = i + 1.0
            return
        self.height[0] = min(self.height[0], v)
        self.height[4] = max(self.height[4], v)
        for i in range(1, 5):
            self.place[i] += i == 4 or v < self.height[i]
        for i in range(1, 4):
            self.adjust(i)

    cdef void adjust(self, int i) noexcept:
        """Move marker i by one place if that is nearer to where it should be."""
        cdef double share = self.theta  # where among the values the marker should be, from 0 to 1
        cdef double away, d, h
        cdef double* q = self.height
        cdef double* n = self.place
        if i != 2:
            share = self.theta / 2.0 if i == 1 else (1.0 + self.theta) / 2.0
        away = 1.0 + (self.count - 1.0) * share - n[i]
        if away >= 1.0 and n[i + 1] - n[i] > 1.0:
            d = 1.0
        elif away <= -1.0 and n[i - 1] - n[i] < -1.0:
            d = -1.0
        else:
            return
        h = q[i] + d / (n[i + 1] - n[i - 1]) * (
            (n[i] - n[i - 1] + d) * (q[i + 1] - q[i]) / (n[i + 1] - n[i])
            + (n[i + 1] - n[i] - d) * (q[i] - q[i - 1]) / (n[i] - n[i - 1]))
        if not q[i - 1] < h < q[i + 1]:  # the parabola leaves the neighbours: take a line
            k = i + <int> d
            h = q[i] + d * (q[k] - q[i]) / (n[k] - n[i])
        q[i] = h
        n[i] += d

    cdef object value(self):
        cdef double at
        cdef int i
        if self.count == 0.0:
            return None
        if self.count > 5.0:
            return self.height[2]
        at = (self.count - 1.0) * self.theta  # as NumPy: between the two nearest
        i = <int> at
        if i + 1 >= self.count:
            return self.height[i]
        return self.height[i] + (at - i) * (self.height[i + 1] - self.height[i])

    cdef int absorb(self, StatisticState other) except -1:
        raise NotMergeable("Quantile: two estimates cannot become one; the sketch KLL can.")

    def export(self):
        return {
            **StatisticState.export(self), "count": self.count,
            "height": np.array([self.height[i] for i in range(5)]),
            "place": np.array([self.place[i] for i in range(5)]),
        }

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.count = fields.number("count", 0.0, 2.0**53)
        heights, places = fields.array("height", (5,)), fields.array("place", (5,))
        known = int(min(5.0, self.count))
        if (np.diff(heights[:known]) < 0.0).any() or (np.abs(heights) > LARGEST).any():
            raise ValueError("the markers are out of order")
        if self.count != int(self.count):
            raise ValueError(f"count is {self.count}, which is no whole number")
        right = np.arange(1.0, 6.0) if known else np.zeros(5)
        if self.count > 5.0 and places[0] == 1.0 and places[4] == self.count:
            right = np.floor(places)
        if (places != right).any() or (known and (np.diff(places) < 1.0).any()):
            raise ValueError("the places of the markers are wrong")
        if (known > 0) != (self.n > 0.0):
            raise ValueError(f"count does not fit a weight of {self.n:g}")
        for i in range(5):
            self.height[i], self.place[i] = heights[i], places[i]


cdef class SGDQuantileState(StatisticState):
    cdef double theta
    cdef double eta
    cdef double q
    cdef bint any

    def __init__(self, double theta, double eta):
        self.theta, self.eta = theta, eta

    cdef void push(self, double v, double w) noexcept:
        if self.any:  # q += eta (theta - [v <= q])
            self.q += self.eta * (self.theta - (v <= self.q))
        else:
            self.q, self.any = v, True

    cdef object value(self):
        return self.q if self.any else None

    cdef int absorb(self, StatisticState other) except -1:
        raise NotMergeable("Quantile: two estimates cannot become one; the sketch KLL can.")

    def export(self):
        return {**StatisticState.export(self), "q": self.q, "any": bool(self.any)}

    def restore(self, fields):
        StatisticState.restore(self, fields)
        self.q = fields.number("q")
        self.any = bool(fields.flag("any"))
        if self.any != (self.n > 0.0):
            raise ValueError(f"any does not fit a weight of {self.n:g}")
