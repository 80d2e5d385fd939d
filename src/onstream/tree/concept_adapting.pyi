from typing import Any

from .hoeffding import HoeffdingState

class ConceptAdaptingState(HoeffdingState):
    started: int
    switched: int
    pruned: int
    def remembered(self) -> tuple[Any, Any, Any, Any]: ...
