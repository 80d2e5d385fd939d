from typing import Any

from ...core.classifier import ClassifierModel
from ...core.state import State

class MultilabelState(State):
    def __init__(self, intercept: bool, variant: str, C: float) -> None: ...

class MultilabelModel(ClassifierModel):
    def coerce_set(self, y: Any) -> list[Any]: ...
    def new_labels(self, labels: list[Any]) -> list[Any]: ...
