from ...core.state import State

class LeastSquaresState(State):
    def __init__(
        self,
        intercept: bool,
        schedule: str,
        eta: float,
        power: float,
        l2: float,
        normalized: bool,
    ) -> None: ...

class LogisticState(State):
    def __init__(
        self,
        intercept: bool,
        schedule: str,
        eta: float,
        power: float,
        l2: float,
        step_factor: float,
    ) -> None: ...
