from typing import Any

from numpy.typing import ArrayLike, NDArray

class Names:
    labels: list[Any]
    def of(self, y: Any) -> int: ...
    def encode(self, y: Any, predictions: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...
    @property
    def positive(self) -> Any: ...

class Confusion:
    names: Names
    guesses: bool
    n: int
    def __init__(
        self,
        window: int = 0,
        alpha: float = 1.0,
        guesses: bool = False,
        names: Names | None = None,
    ) -> None: ...
    def add_one(self, y: Any, p: Any, w: float = 1.0) -> None: ...
    def add_many(self, y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> None: ...
    def matrix(self) -> NDArray[Any]: ...
