from collections.abc import Iterable
from typing import Any

from ..base.types import Label
from .state import NaiveBayes

class GaussianNB(NaiveBayes):
    var_smoothing: float
    alpha: float
    categorical: list[str | int] | None
    def __init__(
        self,
        *,
        var_smoothing: float = 1e-9,
        alpha: float = 1.0,
        prior_alpha: float = 0.0,
        categorical: Iterable[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: GaussianNB | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class CategoricalNB(NaiveBayes):
    alpha: float
    n_values: dict[str, int] | None
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        prior_alpha: float = 0.0,
        n_values: dict[Any, int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: CategoricalNB | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
