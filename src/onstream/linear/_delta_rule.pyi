from ..core.state import State

class DeltaState(State):
    def __init__(self, intercept: bool, share: float, eta: float) -> None: ...

class LMSState(State):
    def __init__(self, intercept: bool, eta: float, normalized: bool, c: float) -> None: ...
