"""Truncated gradient."""

import math
from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import number, positive, whole
from ..base.types import Label
from .descent import Descent
from .gradient import check_gradient
from .optimizer import Optimizer
from .stochastic_gradient import GradientClassifier


class TruncatedGradient(GradientClassifier):
    """Truncated gradient (Langford, Li & Zhang, JMLR 10, 2009): SGD that drops small weights.

    Every `period` steps all weights of size up to `theta` lose period * rate * l1, stopping at 0;
    larger ones are left alone. With period=1 and no theta it is `FOBOS` with l1. Features that do
    not come pay when they come again, so an update costs O(non-zeros).

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "logistic"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
    schedule : {"constant", "power", "sqrt"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l1 : float >= 0, default 0.001
        What every small weight loses per unit of rate. Raise it for fewer features.
    theta : float > 0 or None, default None
        Weights above it are never truncated; None truncates all. Lower it to spare large weights.
    period : int >= 1, default 10
        Steps between truncations. Raise it to give rare features time to grow.
    intercept : bool, default True
        Learn a constant term, shown as `bias`; it is never regularised.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : TruncatedGradient or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = TruncatedGradient(l1=0.05)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    eta: float
    schedule: str
    power: float

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared_hinge", "perceptron", "squared"] = "logistic",
        eta: float = 0.1,
        schedule: Literal["constant", "power", "sqrt"] = "constant",
        power: float = 0.6,
        l1: float = 0.001,
        theta: float | None = None,
        period: int = 10,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "TruncatedGradient | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_loss(loss)
        check_gradient(self, eta, schedule, power, 0.0)
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self.theta = None if theta is None else positive(self, "theta", theta)
        self.period = whole(self, "period", period, least=1, most=2**31)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _optimizer(self) -> Optimizer:
        return Descent(
            self.intercept,
            self.schedule,
            self.eta,
            self.power,
            self.l1,
            0.0,
            period=self.period,
            ceiling=math.inf if self.theta is None else self.theta,
        )
