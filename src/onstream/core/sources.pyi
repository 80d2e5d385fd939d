from typing import Any

from numpy.typing import NDArray

class Source: ...

class Dense(Source):
    known: bool
    def __init__(
        self,
        encoder: Any,
        X: NDArray[Any],
        learning: bool,
        names: list[str] | None = None,
        gaps: bool = False,
    ) -> None: ...

class Columns(Source):
    def __init__(
        self,
        encoder: Any,
        names: list[Any],
        columns: list[NDArray[Any]],
        texts: dict[int, list[str]],
        learning: bool,
        peak: float,
    ) -> None: ...
