from typing import Self

from ...core.state import State

class DiagonalState(State):
    def __new__(cls, intercept: bool, rule: str, parameter: float, C: float, a: float) -> Self: ...
