from typing import Any

class Optimizer:
    factor: float

class GradientClassifierState:
    optimizer: Optimizer
    def __init__(self, *args: Any) -> None: ...
    def set_up(self, optimizer: Optimizer, loss: str, parameter: float) -> None: ...

class GradientRegressorState:
    optimizer: Optimizer
    def __init__(self, *args: Any) -> None: ...
    def set_up(self, optimizer: Optimizer, loss: str, parameter: float) -> None: ...
