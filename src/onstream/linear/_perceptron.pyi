from typing import Any

from ..core.state import State

class PerceptronState(State):
    updates: int
    converged: bool | None
    def __init__(self, intercept: bool, beta: Any, gamma: Any, alpha: Any) -> None: ...

class ShiftingState(State):
    updates: int
    def __init__(self, intercept: bool, lam: float) -> None: ...
