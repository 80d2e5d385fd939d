from typing import Any

from ..core.state import State

class HoeffdingRegressorState(State):
    def __init__(self, *common: Any, observer: str) -> None: ...
