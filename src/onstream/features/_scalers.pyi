from typing import Any

from numpy.typing import NDArray

from ..core.state import State

KEPT: int
SAVED: int
FAR: float

class StandardState(State):
    def __init__(self) -> None: ...

class MinMaxState(State):
    def __init__(self) -> None: ...

class ImputerState(State):
    def __init__(self, mean: bool, value: float) -> None: ...

def saved(stats: NDArray[Any]) -> dict[str, NDArray[Any]]: ...
