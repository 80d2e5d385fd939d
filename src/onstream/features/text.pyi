from typing import Any

from ..core.state import State

class BagState(State):
    def __init__(
        self,
        *,
        fields: list[Any],
        ngrams: tuple[int, int],
        fold: bool,
        binary: bool,
        bits: int | None,
        seed: int,
    ) -> None: ...
