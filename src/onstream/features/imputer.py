"""Filling in missing values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import choice, number
from ..core.state_reader import SAFE
from ._scalers import ImputerState
from .per_feature import PerFeature, both_means


class Imputer(PerFeature):
    """Fill in what is missing: None, NaN, or a feature that was seen before and is absent.

    Only numbers are filled in, from the first that was learned of a feature on. Text stays what it
    is: of `colour` there is one value, or none.

    Parameters
    ----------
    strategy : "mean" or "constant", default "mean"
        The mean of the feature so far, or always `value`.
    value : float, default 0.0
        What "constant" fills in.

    Examples
    --------
    >>> imputer = Imputer()
    >>> imputer.learn_one({"a": 1.0, "b": 2.0})
    >>> imputer.learn_one({"a": 3.0, "b": None})
    >>> imputer.transform_one({"b": 5.0})
    {'a': 2.0, 'b': 5.0}
    """

    def __init__(self, *, strategy: str = "mean", value: float = 0.0) -> None:
        self.strategy = choice(self, "strategy", strategy, ("mean", "constant"))
        self.value = number(self, "value", value, least=-SAFE, most=SAFE)
        super().__init__()

    def _new_state(self) -> Any:
        return ImputerState(self.strategy == "mean", self.value)

    def _together(self, ours: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        total, mean, _, _ = both_means(ours, other)
        return np.column_stack([total, mean, np.maximum(ours[:, 2:], other[:, 2:])])
