from typing import Any

from ..core.state import State

class HoeffdingState(State):
    def __init__(
        self, *common: Any, seed_children: bool = False, max_bytes: int | None = None
    ) -> None: ...
    def check_labels(self, labels: int) -> None: ...
