from ._descent import Descent

class AdaGrad(Descent):
    def __init__(
        self,
        intercept: bool,
        eta: float,
        eps: float,
        l1: float,
        l2: float,
        *,
        radius: float = ...,
        average: bool = False,
        average_from: int = 0,
        batch: int = 1,
    ) -> None: ...
