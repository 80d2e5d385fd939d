"""Truncated gradient."""

import math
from typing import Any, Literal, Unpack

from ...base.checks import choice, number, positive, whole
from ._descent import Descent
from ._optimizer import Optimizer
from .base import EtaOptions, GradientClassifier, GradientClassifierOptions, Scheduled


class TruncatedGradientOptions(EtaOptions, GradientClassifierOptions, total=False):
    """Parameters of the bases, but for schedule and power."""


class TruncatedGradient(Scheduled, GradientClassifier):
    """Truncated gradient (Langford, Li & Zhang, JMLR 10, 2009): SGD that drops small weights.

    Every `period` steps all weights of size up to `theta` lose period * rate * l1, stopping at 0;
    larger ones are left alone. With period=1 and no theta it is `FOBOS` with l1. Features that do
    not come pay when they come again, so an update costs O(non-zeros).
    The same in plain NumPy: tests/oracles/gradient.py.

    Parameters
    ----------
    schedule : {"constant", "power", "sqrt"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    l1 : float >= 0, default 0.001
        What every small weight loses per unit of rate. Raise it for fewer features.
    theta : float > 0 or None, default None
        Weights above it are never truncated; None truncates all. Lower it to spare large weights.
    period : int >= 1, default 10
        Steps between truncations. Raise it to give rare features time to grow.

    Examples
    --------
    >>> model = TruncatedGradient(l1=0.05)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    def __init__(
        self,
        *,
        schedule: Literal["constant", "power", "sqrt"] = "constant",
        power: float = 0.6,
        l1: float = 0.001,
        theta: float | None = None,
        period: int = 10,
        **common: Unpack[TruncatedGradientOptions],
    ) -> None:
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self.theta = None if theta is None else positive(self, "theta", theta)
        self.period = whole(self, "period", period, least=1, most=2**31)
        super().__init__(schedule=schedule, power=power, **common)

    def _checked_schedule(self, schedule: Any) -> str:
        return choice(self, "schedule", schedule, ("constant", "power", "sqrt"))  # it has no l2

    def _optimizer(self) -> Optimizer:
        ceiling = math.inf if self.theta is None else self.theta
        eta, power, period = self.eta, self.power, self.period
        return Descent(
            self.intercept, self.schedule, eta, power, self.l1, 0.0, period=period, ceiling=ceiling
        )
