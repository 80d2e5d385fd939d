from ..core.state import State

class RLSState(State):
    def __init__(self, intercept: bool, lam: float, mu: float, joseph: bool) -> None: ...
