"""The Hoeffding tree for numbers."""

from typing import Any

from ..base.checks import choice, number, positive, whole
from ..base.regressor import Regressor
from ._regression import HoeffdingRegressorState
from .base import Tree, checked_nominal


class HoeffdingTreeRegressor(Tree, Regressor):
    """Hoeffding tree for regression, FIMT-DD without its drift part (Ikonomovska et al., 2011).

    A leaf keeps the mean of its targets, a linear model, and for every feature the targets in
    slots of close values. It splits where that lowers the variance most, as soon as the best
    feature is surely better than the second.

    Parameters
    ----------
    delta : float in (0, 1], default 1e-7
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    grace_period : float > 0, default 200
        Weight of examples between two attempts to split a leaf.
    tau : float >= 0, default 0.05
        Break ties when the bound falls below. 0 waits for a clear winner, maybe for ever.
    criterion : {"variance", "sdr"}, default "variance"
        What a split should reduce: variance (as MOA and River) or standard deviation (the paper).
    observer : {"quantised", "ebst"}, default "quantised"
        How numbers are kept: in slots a third of a standard deviation wide, or exactly, every
        distinct value by itself, which takes memory and time.
    leaf_prediction : {"adaptive", "mean", "linear"}, default "adaptive"
        What a leaf answers: its mean, its linear model, or whichever has erred less of late.
    max_depth : int >= 1 or None, default None
        Deepest leaf; the root alone has depth 0.
    nominal : list or None, default None
        Features whose numbers are names of categories: one branch per value instead of cuts.
        Text always is.
    init : HoeffdingTreeRegressor or None, default None
        Start from what this tree has learned.
    reset_schedule : bool, default False
        Nothing here depends on it; every learner has it.

    Examples
    --------
    >>> model = HoeffdingTreeRegressor()
    >>> for i in range(2000):
    ...     model.learn_one({"x": i % 10, "noise": i % 7}, 5.0 if i % 10 < 4 else -1.0)
    >>> round(model.predict_one({"x": 2, "noise": 0}), 1)
    5.0
    """

    def __init__(
        self,
        *,
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        criterion: str = "variance",
        observer: str = "quantised",
        leaf_prediction: str = "adaptive",
        max_depth: int | None = None,
        nominal: list[str | int] | None = None,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        self.grace_period = positive(self, "grace_period", grace_period)
        self.tau = number(self, "tau", tau, least=0.0)
        self.criterion = choice(self, "criterion", criterion, ("variance", "sdr"))
        self.observer = choice(self, "observer", observer, ("quantised", "ebst"))
        self.leaf_prediction = choice(
            self, "leaf_prediction", leaf_prediction, ("adaptive", "mean", "linear")
        )
        if max_depth is not None:
            max_depth = whole(self, "max_depth", max_depth, least=1, most=2**31 - 1)
        self.max_depth = max_depth
        self.nominal = checked_nominal(self, nominal)
        self._begin(init, reset_schedule)

    def _new_state(self) -> HoeffdingRegressorState:
        return HoeffdingRegressorState(self.params)
