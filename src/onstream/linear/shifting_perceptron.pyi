from collections.abc import Iterable
from typing import Any

from ..base.types import Label
from .base import LinearClassifier

class ShiftingPerceptron(LinearClassifier):
    lam: float
    def __init__(
        self,
        *,
        lam: float = 10.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: ShiftingPerceptron | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    @property
    def updates(self) -> int: ...
