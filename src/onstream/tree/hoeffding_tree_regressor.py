"""The Hoeffding tree for numbers."""

from typing import Any, Literal, Unpack

from ..base.checks import choice
from ..base.regressor import Regressor
from ._regression import HoeffdingRegressorState
from .base import REGRESSOR_OF_BEFORE, CountingTree, TreeRegressorOptions


class HoeffdingTreeRegressor(CountingTree, Regressor):
    """Hoeffding tree for regression, FIMT-DD without its drift part (Ikonomovska et al., 2011).

    A leaf keeps the mean of its targets, a linear model, and for every feature the targets in
    slots of close values. It splits where that lowers the variance most, as soon as the best
    feature is surely better than the second.

    Parameters
    ----------
    criterion : {"variance", "sdr"}, default "variance"
        What a split should reduce: variance (as MOA and River) or standard deviation (the paper).
    observer : {"quantised", "ebst"}, default "quantised"
        How numbers are kept: in slots a third of a standard deviation wide, or exactly, every
        distinct value by itself, which takes memory and time.
    leaf_prediction : {"adaptive", "mean", "linear"}, default "adaptive"
        What a leaf answers: its mean, its linear model, or whichever has erred less of late.

    Examples
    --------
    >>> model = HoeffdingTreeRegressor()
    >>> for i in range(2000):
    ...     model.learn_one({"x": i % 10, "noise": i % 7}, 5.0 if i % 10 < 4 else -1.0)
    >>> round(model.predict_one({"x": 2, "noise": 0}), 1)
    5.0
    """

    _added_parameters = REGRESSOR_OF_BEFORE

    def __init__(
        self,
        *,
        criterion: Literal["variance", "sdr"] = "variance",
        observer: Literal["quantised", "ebst"] = "quantised",
        leaf_prediction: Literal["adaptive", "mean", "linear"] = "adaptive",
        **common: Unpack[TreeRegressorOptions],
    ) -> None:
        self.criterion = choice(self, "criterion", criterion, ("variance", "sdr"))
        self.observer = choice(self, "observer", observer, ("quantised", "ebst"))
        self.leaf_prediction = choice(
            self, "leaf_prediction", leaf_prediction, ("adaptive", "mean", "linear")
        )
        super().__init__(**common)

    def _new_state(self) -> Any:
        return HoeffdingRegressorState(**self._common(), observer=self.observer)
