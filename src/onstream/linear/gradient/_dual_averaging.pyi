from ._optimizer import Optimizer

class FTRLOptimizer(Optimizer):
    def __init__(
        self, intercept: bool, alpha: float, beta: float, l1: float, l2: float
    ) -> None: ...

class RDAOptimizer(Optimizer):
    def __init__(self, intercept: bool, gamma: float, l1: float) -> None: ...
