from typing import Any

from ..base.learner import Classifier, Regressor

class LinearClassifier(Classifier):
    intercept: bool
    hash_bits: int | None
    hash_seed: int
    max_labels: int
    @property
    def weights(self) -> dict[Any, Any]: ...
    @property
    def bias(self) -> Any: ...

class LinearRegressor(Regressor):
    intercept: bool
    hash_bits: int | None
    hash_seed: int
    @property
    def weights(self) -> dict[Any, float]: ...
    @property
    def bias(self) -> float: ...
