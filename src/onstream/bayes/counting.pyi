from collections.abc import Iterable
from typing import Any

from ..base.types import Label
from .state import NaiveBayes

class MultinomialNB(NaiveBayes):
    alpha: float
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        prior_alpha: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: MultinomialNB | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...

class BernoulliNB(NaiveBayes):
    alpha: float
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        prior_alpha: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: BernoulliNB | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
