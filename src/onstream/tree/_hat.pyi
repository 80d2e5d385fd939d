from typing import Any

from ..core.state import State

class HatState(State):
    started: int
    switched: int
    pruned: int
    def __init__(self, *common: Any, seed_children: bool, drift_delta: float) -> None: ...
