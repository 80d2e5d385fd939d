from collections.abc import Iterable
from typing import Any

from ..base.types import Label
from .base import LinearClassifier, LinearRegressor

class DeltaRule(LinearClassifier):
    eta: float
    def __init__(
        self,
        *,
        eta: float = 0.01,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: DeltaRule | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class LMS(LinearRegressor):
    eta: float
    normalized: bool
    c: float
    def __init__(
        self,
        *,
        eta: float = 0.01,
        normalized: bool = False,
        c: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: LMS | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
