from typing import Literal

from .statistic import Statistic

class Min(Statistic):
    def __init__(self) -> None: ...

class Max(Statistic):
    def __init__(self) -> None: ...

class RollingMin(Statistic):
    window: int
    def __init__(self, *, window: int = 1000) -> None: ...

class RollingMax(Statistic):
    window: int
    def __init__(self, *, window: int = 1000) -> None: ...

class Quantile(Statistic):
    theta: float
    method: Literal["p2", "sgd"]
    eta: float
    def __init__(
        self, *, theta: float = 0.5, method: Literal["p2", "sgd"] = "p2", eta: float = 0.01
    ) -> None: ...
