from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from ..base.learner import Classifier, Regressor

class Linear:
    merge_kind: ClassVar[Literal["exact", "mixing"] | None]
    intercept: bool
    hash_bits: int | None
    hash_seed: int
    def _check_common(self, intercept: bool, hash_bits: int | None, hash_seed: int) -> None: ...
    def _named(self, fields: dict[str, Any], column: NDArray[Any]) -> dict[Any, float]: ...

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
