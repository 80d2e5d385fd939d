"""Smallest, largest, and quantiles: of all values or of the latest."""

from typing import Any, ClassVar, Literal

from ..base.checks import choice, number, positive, whole
from ._order import ExtremeState, P2State, RollingState, SGDQuantileState
from .base import Statistic


class Extreme(Statistic):
    """The smallest of the values, each times `_sign`."""

    _sign: ClassVar[float]

    def _new_state(self) -> Any:
        return ExtremeState(self._sign)


class Min(Extreme):
    """The smallest value; None before any.

    Examples
    --------
    >>> smallest = Min()
    >>> smallest.update_many([3, 1, 2])
    >>> smallest.value
    1.0
    """

    _sign = 1.0


class Max(Extreme):
    """The largest value; None before any.

    Examples
    --------
    >>> largest = Max()
    >>> largest.update_many([3, 1, 2])
    >>> largest.value
    3.0
    """

    _sign = -1.0


class Rolling(Extreme):
    """The same of the latest `window` values."""

    def __init__(self, *, window: int = 1000) -> None:
        self.window = whole(self, "window", window, least=1, most=2**31 - 1)
        super().__init__()

    def _new_state(self) -> Any:
        return RollingState(self._sign, self.window)


class RollingMin(Rolling):
    """The smallest of the latest `window` values; None before any.

    Kept by a monotone queue: a value leaves as soon as a later one is as small, so that each is
    moved once on average, however long the window.

    Parameters
    ----------
    window : int >= 1, default 1000
        How many values count.

    Examples
    --------
    >>> smallest = RollingMin(window=2)
    >>> smallest.update_many([1, 3, 2])
    >>> smallest.value
    2.0
    """

    _sign = 1.0


class RollingMax(Rolling):
    """The largest of the latest `window` values; None before any. See `RollingMin`.

    Parameters
    ----------
    window : int >= 1, default 1000
        How many values count.

    Examples
    --------
    >>> largest = RollingMax(window=2)
    >>> largest.update_many([5, 3, 2])
    >>> largest.value
    3.0
    """

    _sign = -1.0


class Quantile(Statistic):
    """An estimate of a quantile in a few numbers; None before any value.

    "p2" keeps five markers that follow a parabola (Jain & Chlamtac, CACM 28, 1985): exact up to
    five values, mostly good, without any guarantee. "sgd" moves the estimate up or down by
    `eta` with every value, and so follows drift. For a guarantee take a sketch (`KLL`). The order
    of the values matters, so two of them cannot be merged. A value counts once whatever its
    weight, unless that is 0.

    Parameters
    ----------
    theta : float in (0, 1), default 0.5
        Which quantile; 0.5 is the median.
    method : {"p2", "sgd"}, default "p2"
        How it is estimated.
    eta : float > 0, default 0.01
        Step of "sgd", in the unit of the values; raise it to follow faster.

    Examples
    --------
    >>> median = Quantile()
    >>> median.update_many(range(1001))
    >>> round(median.value)
    500
    """

    def __init__(
        self, *, theta: float = 0.5, method: Literal["p2", "sgd"] = "p2", eta: float = 0.01
    ) -> None:
        self.theta = number(self, "theta", theta, above=0.0, most=1.0 - 1e-9)
        self.method = choice(self, "method", method, ("p2", "sgd"))
        self.eta = positive(self, "eta", eta)
        super().__init__()

    def _new_state(self) -> Any:
        if self.method == "p2":
            return P2State(self.theta)
        return SGDQuantileState(self.theta, self.eta)
