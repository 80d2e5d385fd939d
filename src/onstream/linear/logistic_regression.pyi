from collections.abc import Iterable
from typing import Any, Literal

from ..base.classifier import ProbabilisticClassifier
from ..base.types import Label
from .base import LinearClassifier

class LogisticRegression(LinearClassifier, ProbabilisticClassifier):
    eta: float
    schedule: Literal["constant", "power", "inverse", "sqrt"]
    power: float
    l2: float
    def __init__(
        self,
        *,
        eta: float = 0.1,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l2: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: LogisticRegression | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
