"""Page-Hinkley: the sums and their lowest."""

from ._detector cimport DetectorState


cdef class PageHinkleyState(DetectorState):
    cdef double warm_up
    cdef double delta
    cdef double lam
    cdef double alpha
    cdef bint rising
    cdef bint falling
    cdef double n       # values since the last change
    cdef double mean    # of them
    cdef double up      # sum of v - mean - delta
    cdef double up_min  # its lowest
    cdef double down    # sum of mean - v - delta
    cdef double down_min

    def __init__(self, double warm_up, double delta, double lam, double alpha, str mode):
        self.warm_up, self.delta, self.lam, self.alpha = warm_up, delta, lam, alpha
        self.rising, self.falling = mode != "down", mode != "up"
        self.restart()

    cdef void restart(self) noexcept nogil:
        self.n = self.mean = self.up = self.up_min = self.down = self.down_min = 0.0

    cdef void push(self, double v) noexcept nogil:
        # The mean, v included; then U = alpha U + v - mean - delta, and its lowest.
        self.n += 1.0
        self.mean += (v - self.mean) / self.n
        self.up = self.alpha * self.up + (v - self.mean) - self.delta
        self.up_min = min(self.up, self.up_min)
        self.down = self.alpha * self.down + (self.mean - v) - self.delta
        self.down_min = min(self.down, self.down_min)
        # A change: U - min U > lam.
        self.drift = self.n >= self.warm_up and (
            (self.rising and self.up - self.up_min > self.lam)
            or (self.falling and self.down - self.down_min > self.lam))
        if self.drift:
            self.restart()

    def export(self):
        return {
            **DetectorState.export(self), "n": self.n, "mean": self.mean, "up": self.up,
            "up_min": self.up_min, "down": self.down, "down_min": self.down_min,
        }

    def restore(self, fields):
        DetectorState.restore(self, fields)
        self.n = fields.number("n", 0.0, self.seen)
        self.mean = fields.number("mean")
        self.up = fields.number("up")
        self.up_min = fields.number("up_min", high=0.0)
        self.down = fields.number("down")
        self.down_min = fields.number("down_min", high=0.0)
