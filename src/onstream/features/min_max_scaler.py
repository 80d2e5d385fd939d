"""Scaling to the range from 0 to 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._scalers import MinMaxState
from .per_feature import PerFeature


class MinMaxScaler(PerFeature):
    """Map the smallest value of each feature so far to 0 and the largest to 1; not clipped.

    A feature that was constant so far becomes 0, but text stays what it is: its feature
    `name=value`, always 1, is not scaled. Absent features stay absent.

    Examples
    --------
    >>> scaler = MinMaxScaler()
    >>> for value in (2, 4, 10):
    ...     scaler.learn_one({"a": value})
    >>> scaler.transform_one({"a": 6})
    {'a': 0.5}
    """

    def _new_state(self) -> Any:
        return MinMaxState()

    def _together(self, ours: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        in_both = (ours[:, 0] > 0.0) & (other[:, 0] > 0.0)  # otherwise the numbers of one are 0
        low = np.where(in_both, np.minimum(ours[:, 1], other[:, 1]), ours[:, 1] + other[:, 1])
        high = np.where(in_both, np.maximum(ours[:, 2], other[:, 2]), ours[:, 2] + other[:, 2])
        text = np.maximum(ours[:, 3], other[:, 3])
        return np.column_stack([ours[:, 0] + other[:, 0], low, high, text, 0.0 * low])

    def _since(self, stats: NDArray[Any], base: NDArray[Any]) -> NDArray[Any]:
        since = np.array(stats)  # the range is that of all: minima may be taken twice
        since[:, 0] = np.maximum(stats[:, 0] - base[:, 0], 0.0)
        return since
