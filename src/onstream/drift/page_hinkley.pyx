"""Page-Hinkley: a sum of deviations that is not expected to grow."""

from .detector cimport DetectorState

from ..base.checks import choice, number, whole
from .detector import Detector


class PageHinkley(Detector):
    """Page-Hinkley test (Page, Biometrika 41, 1954).

    It sums up how far the values lie above their mean so far, less `delta` each. When the sum has
    risen by `lam` above its lowest, the values have risen. There are no warnings.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it judges.
    delta : float >= 0, default 0.005
        Rise of the mean that is no change.
    lam : float > 0, default 50.0
        Sum that is a change, in the unit of the values; raise it for fewer false alarms.
    alpha : float in (0, 1], default 0.9999
        What is left of the sum with every further value.
    mode : {"up", "down", "both"}, default "up"
        Whether rising values are a change, falling ones, or both.

    Examples
    --------
    >>> PageHinkley().update_many([0] * 100 + [1] * 100)
    array([166])
    """

    def __init__(self, *, warm_up=30, delta=0.005, lam=50.0, alpha=0.9999, mode="up"):
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.delta = number(self, "delta", delta, least=0.0, most=1e100)
        self.lam = number(self, "lam", lam, above=0.0)
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0)
        self.mode = choice(self, "mode", mode, ("up", "down", "both"))
        self._begin()

    def _new_state(self):
        cdef PageHinkleyState state = PageHinkleyState("PageHinkley")
        state.warm_up, state.delta, state.lam, state.alpha = (
            self.warm_up, self.delta, self.lam, self.alpha)
        state.rising, state.falling = self.mode != "down", self.mode != "up"
        state.begin()
        return state


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

    cdef void begin(self) noexcept nogil:
        self.n = self.mean = self.up = self.up_min = self.down = self.down_min = 0.0

    cdef void push(self, double v) noexcept nogil:
        self.n += 1.0
        self.mean += (v - self.mean) / self.n
        self.up = self.alpha * self.up + (v - self.mean) - self.delta
        self.up_min = min(self.up, self.up_min)
        self.down = self.alpha * self.down + (self.mean - v) - self.delta
        self.down_min = min(self.down, self.down_min)
        self.drift = self.n >= self.warm_up and (
            (self.rising and self.up - self.up_min > self.lam)
            or (self.falling and self.down - self.down_min > self.lam))
        if self.drift:
            self.begin()

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
