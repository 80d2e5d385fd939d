from ...core.state import State

class DiagonalState(State):
    def __init__(
        self, intercept: bool, rule: str, parameter: float, C: float, a: float
    ) -> None: ...
