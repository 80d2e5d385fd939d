from ..core.state import State

class HasherState(State):
    def __init__(self, bits: int, seed: int, signed: bool, binary: bool) -> None: ...

class FourierState(State):
    def __init__(self, n_components: int, gamma: float, seed: int) -> None: ...
