from typing import Self

from ..core.state import State

class MixedState(State):
    def __new__(
        cls,
        prior_alpha: float,
        alpha: float,
        floor: float,
        smoothing: float,
        categorical: set[str] | bool | None,
        declared: dict[str, int] | None,
    ) -> Self: ...
