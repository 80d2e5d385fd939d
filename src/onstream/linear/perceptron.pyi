from collections.abc import Callable, Iterable
from typing import Any, Self

from numpy.typing import ArrayLike

from ..base.types import Example, Label, Rows
from .base import LinearClassifier

class Perceptron(LinearClassifier):
    beta: float | Callable[[int], float]
    gamma: float | Callable[[int], float]
    alpha: float | Callable[[int], float]
    def __init__(
        self,
        *,
        beta: float | Callable[[int], float] = 0.0,
        gamma: float | Callable[[int], float] = 1.0,
        alpha: float | Callable[[int], float] = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Perceptron | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    @property
    def updates(self) -> int: ...
    @property
    def converged(self) -> bool | None: ...
    def fit(  # type: ignore[override]
        self,
        X: Rows | Iterable[tuple[Example, Any]],
        y: ArrayLike | None = None,
        w: ArrayLike | None = None,
        *,
        max_epochs: int = 1000,
        shuffle: bool = False,
        seed: int = 0,
    ) -> Self: ...
