from ...core.state import State

class PAState(State):
    def __init__(self, intercept: bool, variant: str, C: float) -> None: ...
