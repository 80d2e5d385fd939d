from typing import Any, Self

from ..core.state import State

class KNNClassifierState(State):
    def __new__(
        cls,
        room: int,
        metric: Any,
        scale: str | None,
        k: int,
        weights: str,
        ties: str,
        nominal_distance: str,
    ) -> Self: ...

class KNNADWINState(State):
    def __new__(
        cls,
        room: int,
        metric: Any,
        scale: str | None,
        k: int,
        weights: str,
        ties: str,
        nominal_distance: str,
        delta: float,
    ) -> Self: ...

class KNNRegressorState(State):
    def __new__(
        cls,
        room: int,
        metric: Any,
        scale: str | None,
        k: int,
        weights: str,
        ties: str,
        nominal_distance: str,
    ) -> Self: ...
