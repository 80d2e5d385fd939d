from typing import Any

from .model import Model

class BatchModel(Model):
    def learn_many(self, X: Any, y: Any, w: Any, output: int = 0) -> Any: ...
    def predict_many(self, X: Any, output: int) -> Any: ...
