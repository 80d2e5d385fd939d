from typing import Any

from ..core.state import State

class EfdtState(State):
    def __init__(self, *common: Any, reevaluate: float) -> None: ...
