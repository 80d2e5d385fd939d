"""Passive-aggressive regression, in its three variants."""

from typing import Any, Unpack

from ...base.checks import number
from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearRegressor
from ._pa import PARegressorState
from .base import PARegressorOptions


class PARegressor(PassiveAggressive, LinearRegressor):
    """Passive-aggressive regression (Crammer et al., JMLR 7, 2006).

    Passive while the prediction is within epsilon of the target; otherwise it makes the smallest
    change of the weights that brings it there. The same in plain NumPy:
    tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when targets are noisy.
    epsilon : float >= 0, default 0.1
        Errors up to this are none. Raise it to the size of the noise.

    Examples
    --------
    >>> model = PARegressor(variant="PA", epsilon=0.5)
    >>> model.learn_one({"hours": 3.0}, 11.0)
    >>> round(model.predict_one({"hours": 3.0}), 9)  # just within epsilon
    10.5
    """

    def __init__(self, *, epsilon: float = 0.1, **common: Unpack[PARegressorOptions]) -> None:
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PARegressorState(self.intercept, self.variant, self.C, self.epsilon)
