from collections.abc import Callable
from typing import Any

from ...core.state import State

class PAState(State):
    def __init__(self, intercept: bool, variant: str, C: float) -> None: ...

class CostState(PAState):
    def __init__(
        self,
        intercept: bool,
        variant: str,
        C: float,
        cost: Callable[[Any, Any], float] | None,
        max_loss: bool,
    ) -> None: ...

class PARegressorState(State):
    def __init__(self, intercept: bool, variant: str, C: float, epsilon: float) -> None: ...

class MarginState(State):
    def __init__(self, intercept: bool, variant: str, C: float) -> None: ...

class UniclassState(State):
    def __init__(
        self, intercept: bool, variant: str, C: float, size: float, learned: bool
    ) -> None: ...
    radius: float
