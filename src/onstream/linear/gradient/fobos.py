"""Forward-backward splitting."""

from typing import Unpack

from ...base.checks import number
from ._descent import Descent
from ._optimizer import Optimizer
from .base import (
    EtaOptions,
    GradientClassifier,
    GradientClassifierOptions,
    Regularised,
    RegularisedOptions,
)


class FOBOSOptions(EtaOptions, RegularisedOptions, GradientClassifierOptions, total=False):
    """Parameters of the bases."""


class FOBOS(Regularised, GradientClassifier):
    """Forward-backward splitting (Duchi & Singer, JMLR 10, 2009): SGD with exact zeros.

    A gradient step, then the penalty in closed form: w = S(v, rate * l1) / (1 + rate * l2), where
    v is what the step gave and S takes rate * l1 off every number, stopping at 0. Features that
    do not come pay when they come again, so an update costs O(non-zeros).
    The same in plain NumPy: tests/oracles/gradient.py.

    Parameters
    ----------
    l1 : float >= 0, default 0.001
        What every weight loses per unit of rate. Raise it for fewer features.
    l2 : float >= 0, default 0.0
        Pull towards zero weights. Together with l1: elastic net.

    Examples
    --------
    >>> model = FOBOS(l1=0.2)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    def __init__(self, *, l1: float = 0.001, **common: Unpack[FOBOSOptions]) -> None:
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        super().__init__(**common)

    def _optimizer(self) -> Optimizer:
        return Descent(
            self.intercept, self.schedule, self.eta, self.power, self.l1, self.l2, proximal=True
        )
