from typing import Any

from ._hoeffding import HoeffdingState

class ConceptAdaptingState(HoeffdingState):
    started: int
    switched: int
    pruned: int
    def remembered(self) -> tuple[Any, Any, Any, Any]: ...
