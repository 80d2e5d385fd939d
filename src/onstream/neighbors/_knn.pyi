from typing import Any

from ..core.classifier import ClassifierModel
from ..core.regressor import RegressorModel
from ..core.state import State

class KNNClassifierState(State):
    def __init__(self, room: int, metric: Any, scale: str | None, k: int, weights: str) -> None: ...

class KNNADWINState(State):
    def __init__(
        self, room: int, metric: Any, scale: str | None, k: int, weights: str, delta: float
    ) -> None: ...

class KNNRegressorState(State):
    def __init__(self, room: int, metric: Any, scale: str | None, k: int, weights: str) -> None: ...

class KNNClassifierModel(ClassifierModel): ...
class KNNRegressorModel(RegressorModel): ...
