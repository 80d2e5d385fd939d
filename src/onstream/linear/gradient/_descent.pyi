from ._optimizer import Optimizer

class Descent(Optimizer):
    def __init__(
        self,
        intercept: bool,
        schedule: str,
        eta: float,
        power: float,
        l1: float,
        l2: float,
        *,
        proximal: bool = False,
        period: int = 1,
        ceiling: float = ...,
        radius: float = ...,
        average: bool = False,
        average_from: int = 0,
        batch: int = 1,
    ) -> None: ...
