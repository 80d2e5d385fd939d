from typing import Any

from ..core.classifier import ClassifierModel
from ..core.regressor import RegressorModel
from ..core.state import State

class MultilabelState(State):
    def set_parameters(self, variant: str, C: float) -> None: ...

class MultilabelModel(ClassifierModel):
    def coerce_set(self, y: Any) -> list[Any]: ...
    def new_labels(self, labels: list[Any]) -> list[Any]: ...

def margin_model(learner: Any) -> RegressorModel: ...
