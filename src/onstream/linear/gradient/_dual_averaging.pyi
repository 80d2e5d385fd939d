from typing import Self

from ._optimizer import Optimizer

class FTRLOptimizer(Optimizer):
    def __new__(cls, intercept: bool, alpha: float, beta: float, l1: float, l2: float) -> Self: ...

class RDAOptimizer(Optimizer):
    def __new__(cls, intercept: bool, gamma: float, l1: float) -> Self: ...
