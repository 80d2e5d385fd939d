"""Nearest neighbours whose targets are averaged."""

from typing import Any, NoReturn, Unpack

from ..base.regressor import Regressor
from ._knn import KNNRegressorState
from .base import KNNRegressorOptions, NearestNeighbors


class KNNRegressor(NearestNeighbors, Regressor):
    """Mean target of the k nearest among the latest examples (Cover, IEEE IT 14, 1968).

    See `KNNClassifier`; the search is the same. The same in plain NumPy: tests/oracles/knn.py.

    Parameters
    ----------
    k : int >= 1, default 5
        Neighbours that count; raise it when targets are noisy.
    weights : {"uniform", "distance"}, default "uniform"
        All neighbours alike, or by 1 / (distance + 1e-12), so that an exact match decides.

    Examples
    --------
    >>> model = KNNRegressor(k=2)
    >>> model.learn_many([[0.0], [1.0], [9.0]], [10.0, 20.0, 90.0])
    >>> model.predict_one([0.5])
    15.0
    """

    def __init__(self, **common: Unpack[KNNRegressorOptions]) -> None:
        super().__init__(**common)

    def _check_value_difference(self) -> NoReturn:
        raise ValueError(
            "KNNRegressor: nominal_distance='value-difference' compares the labels that come with "
            "texts, and numbers have none. Leave it at 'overlap'."
        )

    def _new_state(self) -> Any:
        return KNNRegressorState(*self._of_window())
