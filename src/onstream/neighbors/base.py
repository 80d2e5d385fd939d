"""What nearest-neighbour learners share: the window and the search."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, NoReturn, TypedDict

from ..base.checks import choice, whole
from ..base.classifier import LabelledOptions
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions

Metric = Literal["euclidean", "manhattan", "cosine"] | Callable[[Any, Any], float]
Scale = Literal["minmax", "standard"] | None
Ties = Literal["all", "first"]
NominalDistance = Literal["overlap", "value-difference", "one-hot"]


class NeighborOptions(TypedDict, total=False):
    """Parameters of every nearest-neighbour learner."""

    k: int
    window: int
    scale: Scale
    weights: Literal["uniform", "distance"]
    metric: Metric
    ties: Ties
    nominal_distance: NominalDistance


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
    ties : {"all", "first"}, default "all"
        Of examples as far away as the k-th: all of them vote, or the oldest, so that k do.
    nominal_distance : {"overlap", "value-difference", "one-hot"}, default "overlap"
        Of two texts: 0 if they are the same, else 1, as far as the ends of a scaled range. Or from
        0 to 1, the less the more alike the labels are that come with them in the window (only of
        classifiers, Euclidean or Manhattan; slower). Or each text is a feature of its own,
        `name=value`, whose time and memory grow with the values.
    """

    _added_parameters: ClassVar[dict[str, Any]] = {"ties": "first", "nominal_distance": "one-hot"}

    def __init__(
        self,
        *,
        k: int = 5,
        window: int = 1000,
        scale: Scale = "minmax",
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Metric = "euclidean",
        ties: Ties = "all",
        nominal_distance: NominalDistance = "overlap",
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
        self.ties = choice(self, "ties", ties, ("all", "first"))
        self.nominal_distance = choice(
            self, "nominal_distance", nominal_distance, ("overlap", "value-difference", "one-hot")
        )
        if nominal_distance == "value-difference":
            self._check_value_difference()
        super().__init__(**common)

    def _check_value_difference(self) -> None:
        """Refuse it where distances are no sums over the features."""
        if self.metric not in ("euclidean", "manhattan"):
            raise ValueError(
                f"{type(self).__name__}: nominal_distance='value-difference' goes with metric="
                f"'euclidean' or 'manhattan', got {self.metric!r:.80}."
            )

    def _of_window(self) -> tuple[int, Any, str | None, int, str, str, str]:
        """What a state makes its window from."""
        return (
            self.window,
            self.metric,
            self.scale,
            self.k,
            self.weights,
            self.ties,
            self.nominal_distance,
        )

    def merge(self, other: Any) -> NoReturn:
        """Refused: two windows of latest examples have no common order."""
        raise NotMergeable(
            f"{type(self).__name__}: two windows of latest examples have no common order, so they "
            f"cannot become one."
        )
