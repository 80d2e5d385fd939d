from typing import Any

from ..core.state import State

MISSING: float

class CvfdtState(State):
    started: int
    switched: int
    pruned: int
    def __init__(
        self, *common: Any, window: int, check_every: int, test_every: int, test_length: int
    ) -> None: ...
