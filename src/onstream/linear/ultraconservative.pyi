from collections.abc import Iterable
from typing import Any, Literal

from ..base.types import Label
from .base import LinearClassifier

class MulticlassPerceptron(LinearClassifier):
    update: Literal["max", "uniform", "proportional"]
    def __init__(
        self,
        *,
        update: Literal["max", "uniform", "proportional"] = "max",
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: MulticlassPerceptron | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class MIRA(LinearClassifier):
    beta: float
    def __init__(
        self,
        *,
        beta: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: MIRA | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class ExactMulticlassPA(LinearClassifier):
    C: float
    def __init__(
        self,
        *,
        C: float = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: ExactMulticlassPA | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
