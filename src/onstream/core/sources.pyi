from typing import Any

from numpy.typing import NDArray

class Source: ...

class Dense(Source):
    def __init__(
        self, door: Any, X: NDArray[Any], learning: bool, names: list[str] | None = None
    ) -> None: ...

def pack(
    door: Any,
    names: list[Any],
    which: NDArray[Any],
    values: NDArray[Any],
    starts: NDArray[Any],
    learning: bool,
    weights: NDArray[Any] | None,
) -> Source: ...
