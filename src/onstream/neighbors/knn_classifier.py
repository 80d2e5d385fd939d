"""Nearest neighbours that vote for a label."""

from typing import Any, Unpack

from ..base.classifier import ProbabilisticClassifier
from ._knn import KNNClassifierState
from .base import KNNClassifierOptions, NearestNeighbors


class KNNClassifier(NearestNeighbors, ProbabilisticClassifier):
    """k nearest neighbours among the latest examples (Cover & Hart, IEEE IT 13, 1967).

    It remembers the last `window` examples and answers with the label that most of the k nearest
    have; on a tie, the one whose example is nearest, then the label that came first. Examples as
    far away as the k-th vote, too, or with `ties="first"` only the oldest of them. The search is
    exact. A number that is left out is 0. A text differs from another, and from one left out, by 1;
    with `nominal_distance="one-hot"` it is a feature of its own, which is 1 or 0.
    Probabilities are shares of the votes; the score is the share of the label coded +1 less that
    of the other, or with more than two labels the share of each. The same in plain NumPy:
    tests/oracles/knn.py.

    Examples
    --------
    >>> model = KNNClassifier(k=1)
    >>> model.learn_many([[0.0, 0.0], [1.0, 1.0], [0.0, 9.0]], ["low", "low", "high"])
    >>> model.predict_one([0.0, 8.0])
    'high'
    """

    def __init__(self, **common: Unpack[KNNClassifierOptions]) -> None:
        super().__init__(**common)

    def _new_state(self) -> Any:
        return KNNClassifierState(*self._of_window())
