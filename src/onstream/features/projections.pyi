from ..core.state import State
from .transformer import NamesOnly

class HasherState(State):
    def __init__(self, *, bits: int, seed: int, with_signs: bool, binary: bool) -> None: ...

class RandomFourierFeatures(NamesOnly):
    n_components: int
    gamma: float
    seed: int
    def __init__(self, *, n_components: int = 400, gamma: float = 1.0, seed: int = 0) -> None: ...
