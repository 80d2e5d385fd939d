"""What nearest-neighbour learners share: the window and the search."""

from collections.abc import Callable
from typing import Any, Literal, NoReturn, TypedDict

from ..base.checks import choice, whole
from ..base.classifier import LabelledOptions
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions

Metric = Literal["euclidean", "manhattan", "cosine"] | Callable[[Any, Any], float]
Scale = Literal["minmax", "standard"] | None


class NeighborOptions(TypedDict, total=False):
    """Parameters of every nearest-neighbour learner."""

    k: int
    window: int
    scale: Scale
    weights: Literal["uniform", "distance"]
    metric: Metric


class KNNClassifierOptions(NeighborOptions, LabelledOptions, total=False):
    """Parameters of every nearest-neighbour classifier."""


class KNNRegressorOptions(NeighborOptions, LearnerOptions, total=False):
    """Parameters of every nearest-neighbour regressor."""


class NearestNeighbors(Learner):
    """A learner that remembers the latest examples and answers by the k nearest of them.

    Parameters
    ----------
    k : int >= 1, default 5
        Neighbours that vote; raise it when labels are noisy.
    window : int >= 1, default 1000
        Examples it remembers; lower it to follow drift. Work grows with it.
    scale : {"minmax", "standard"} or None, default "minmax"
        Divide each feature by its range, or its standard deviation, in the window; a constant
        feature counts nothing. None compares values as they are.
    weights : {"uniform", "distance"}, default "uniform"
        One vote each, or votes of 1 / (distance + 1e-12), so that an exact match decides.
    metric : {"euclidean", "manhattan", "cosine"} or callable, default "euclidean"
        How far two examples are apart. A callable takes two arrays, scaled, and gives a number
        >= 0.
    """

    def __init__(
        self,
        *,
        k: int = 5,
        window: int = 1000,
        scale: Scale = "minmax",
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Metric = "euclidean",
        **common: Any,
    ) -> None:
        self.k = whole(self, "k", k, least=1, most=2**20)
        self.window = whole(self, "window", window, least=1, most=2**31 - 16)
        if scale is not None and scale not in ("minmax", "standard"):
            raise ValueError(
                f"{type(self).__name__}: scale must be 'minmax', 'standard' or None, "
                f"got {scale!r:.80}."
            )
        self.scale = scale
        self.weights = choice(self, "weights", weights, ("uniform", "distance"))
        self.metric = metric
        if not callable(metric):
            choice(self, "metric", metric, ("euclidean", "manhattan", "cosine"))
        super().__init__(**common)

    def merge(self, other: Any) -> NoReturn:
        """Refused: two windows of latest examples have no common order."""
        raise NotMergeable(
            f"{type(self).__name__}: two windows of latest examples have no common order, so they "
            f"cannot become one."
        )
