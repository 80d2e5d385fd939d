"""Passive-aggressive regression, in its three variants."""

from typing import Any, Unpack

from ...base.checks import number
from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearRegressor, Scaled, ScaleOptions
from ._pa import PARegressorState
from .base import PARegressorOptions


class ScaledPARegressorOptions(PARegressorOptions, ScaleOptions, total=False):
    """Parameters of the bases."""


class PARegressor(PassiveAggressive, Scaled, LinearRegressor):
    """Passive-aggressive regression (Crammer et al., JMLR 7, 2006).

    Passive while the prediction is within epsilon of the target; otherwise it makes the smallest
    change of the weights that brings it there. The same in plain NumPy:
    tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when targets are noisy. With scale="auto" the C
        of PA-I counts tenths of the standard deviation of the targets.
    epsilon : float >= 0, default 0.1
        Errors up to this are none; with scale="auto" it counts standard deviations of the
        targets. Raise it to the size of the noise.
    scale : {"auto"} or None, default "auto"
        "auto" scales every feature by what was seen of it, takes C and epsilon relative to the
        targets, and keeps predictions in the range of the targets seen, give or take a tenth;
        `weights` and `bias` are those of the features as they came. None learns from features and
        targets as they are, by the rule of the paper, and is the default as soon as another
        parameter is given than `intercept` and `init`.

    Examples
    --------
    >>> model = PARegressor(variant="PA", epsilon=0.5)
    >>> model.learn_one({"hours": 3.0}, 11.0)
    >>> round(model.predict_one({"hours": 3.0}), 9)  # just within epsilon
    10.5
    """

    def __init__(self, *, epsilon: float = 0.1, **common: Unpack[ScaledPARegressorOptions]) -> None:
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PARegressorState(
            self.intercept, self.variant, self.C, self.epsilon,
            relative=self.scale is not None,
        )  # fmt: skip
