from ..core.state import State

class MulticlassPerceptronState(State):
    def __init__(self, intercept: bool, update: str) -> None: ...

class MIRAState(State):
    def __init__(self, intercept: bool, beta: float, C: float) -> None: ...
