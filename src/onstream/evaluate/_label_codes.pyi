from typing import Any

from numpy.typing import NDArray

class LabelCodes:
    labels: list[Any]
    def expect(self, label: Any) -> None: ...
    def check(self, y: Any) -> None: ...
    def encode(
        self, y: Any, predictions: Any, weights: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
