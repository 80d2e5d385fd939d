from collections.abc import Callable, Iterable
from typing import Any, Literal

from ..base.types import Label
from .base import LinearClassifier

class CostSensitivePA(LinearClassifier):
    cost: Callable[[Any, Any], float] | None
    mode: Literal["prediction", "max-loss"]
    variant: Literal["PA-I", "PA", "PA-II"]
    C: float
    def __init__(
        self,
        *,
        cost: Callable[[Any, Any], float] | None = None,
        mode: Literal["prediction", "max-loss"] = "prediction",
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: CostSensitivePA | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
