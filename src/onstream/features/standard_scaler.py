"""Standardisation: mean 0, deviation 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._scalers import FAR, StandardState
from .per_feature import PerFeature, both_means


class StandardScaler(PerFeature):
    """Subtract the mean of each feature so far and divide by its standard deviation (Welford).

    A feature that was constant so far becomes 0, but text stays what it is: its feature
    `name=value`, always 1, is not scaled. Absent features stay absent. In a pipeline a row is
    first noted, then scaled, so a row that is learned is at most sqrt(n-1) after n rows.

    Examples
    --------
    >>> scaler = StandardScaler()
    >>> for value in (2, 4, 4, 4, 5, 5, 7, 9):
    ...     scaler.learn_one({"a": value})
    >>> scaler.transform_one({"a": 9})
    {'a': 2.0}
    """

    def _new_state(self) -> Any:
        return StandardState()

    def _together(self, ours: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        total, mean, low, between = both_means(ours, other)
        squares = ours[:, 2] + other[:, 2] + between
        low = np.where(mean * mean * total > FAR * squares, low, 0.0)
        return np.column_stack([total, mean, squares, np.maximum(ours[:, 3], other[:, 3]), low])

    def _since(self, stats: NDArray[Any], base: NDArray[Any]) -> NDArray[Any]:
        since = super()._since(stats, base)
        some = since[:, 0] > 0.0
        share = np.divide(base[:, 0], stats[:, 0], out=np.zeros(len(stats)), where=some)
        between = (since[:, 1] - base[:, 1]) ** 2 * since[:, 0] * share
        since[:, 2] = np.where(some, np.maximum(stats[:, 2] - base[:, 2] - between, 0.0), 0.0)
        return since
