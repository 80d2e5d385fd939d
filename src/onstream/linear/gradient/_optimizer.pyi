from typing import Self

from ...core.state import State

class Optimizer:
    factor: float

class GradientClassifierState(State):
    optimizer: Optimizer
    def __new__(cls, optimizer: Optimizer, loss: str) -> Self: ...

class GradientRegressorState(State):
    optimizer: Optimizer
    def __new__(cls, optimizer: Optimizer, loss: str, parameter: float) -> Self: ...
