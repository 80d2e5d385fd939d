from collections.abc import Callable, Iterable
from typing import Any, Literal

from ..base.classifier import ProbabilisticClassifier
from ..base.regressor import Regressor
from ..base.types import Label

Metric = Literal["euclidean", "manhattan", "cosine"] | Callable[[Any, Any], float]
Scale = Literal["minmax", "standard"] | None

class KNNClassifier(ProbabilisticClassifier):
    k: int
    window: int
    scale: Scale
    weights: Literal["uniform", "distance"]
    metric: Metric
    max_labels: int
    def __init__(
        self,
        *,
        k: int = 5,
        window: int = 1000,
        scale: Scale = "minmax",
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Metric = "euclidean",
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: KNNClassifier | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class KNNADWINClassifier(KNNClassifier):
    delta: float
    def __init__(
        self,
        *,
        k: int = 5,
        window: int = 1000,
        delta: float = 0.002,
        scale: Scale = "minmax",
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Metric = "euclidean",
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: KNNADWINClassifier | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    @property
    def width(self) -> int: ...

class KNNRegressor(Regressor):
    k: int
    window: int
    scale: Scale
    weights: Literal["uniform", "distance"]
    metric: Metric
    def __init__(
        self,
        *,
        k: int = 5,
        window: int = 1000,
        scale: Scale = "minmax",
        weights: Literal["uniform", "distance"] = "uniform",
        metric: Metric = "euclidean",
        init: KNNRegressor | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
