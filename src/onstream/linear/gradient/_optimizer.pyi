from ...core.state import State

class Optimizer:
    factor: float

class GradientClassifierState(State):
    optimizer: Optimizer
    def __init__(self, optimizer: Optimizer, loss: str) -> None: ...

class GradientRegressorState(State):
    optimizer: Optimizer
    def __init__(self, optimizer: Optimizer, loss: str, parameter: float) -> None: ...
