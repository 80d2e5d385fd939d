from typing import Any, Self

from ..core.state import State

class KNNClassifierState(State):
    def __new__(cls, room: int, metric: Any, scale: str | None, k: int, weights: str) -> Self: ...

class KNNADWINState(State):
    def __new__(
        cls, room: int, metric: Any, scale: str | None, k: int, weights: str, delta: float
    ) -> Self: ...

class KNNRegressorState(State):
    def __new__(cls, room: int, metric: Any, scale: str | None, k: int, weights: str) -> Self: ...
