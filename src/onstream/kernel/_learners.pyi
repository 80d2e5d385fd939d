from ..core.state import State
from ._expansion import Expansion

class PerceptronState(State):
    def __init__(self, expansion: Expansion, beta: float, update: str) -> None: ...

class PAState(State):
    def __init__(self, expansion: Expansion, variant: str, C: float) -> None: ...

class PARegressorState(State):
    def __init__(self, expansion: Expansion, variant: str, C: float, epsilon: float) -> None: ...

class MIRAState(State):
    def __init__(self, expansion: Expansion, beta: float) -> None: ...

class LMSState(State):
    def __init__(
        self,
        expansion: Expansion,
        schedule: str,
        eta: float,
        power: float,
        l2: float,
        normalized: bool,
    ) -> None: ...
