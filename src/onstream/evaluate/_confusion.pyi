from typing import Any

from numpy.typing import ArrayLike, NDArray

from ._label_codes import LabelCodes

class Confusion:
    label_codes: LabelCodes
    guesses: bool
    n: int
    def __init__(
        self,
        window: int = 0,
        alpha: float = 1.0,
        guesses: bool = False,
        label_codes: LabelCodes | None = None,
    ) -> None: ...
    def add_one(self, y: Any, p: Any, w: float = 1.0) -> None: ...
    def add_many(self, y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> None: ...
    def judged(self, average: str, positive: Any) -> tuple[str, Any]: ...
    def matrix(self) -> NDArray[Any]: ...
