from typing import Any

class BagState:
    def __init__(
        self,
        who: str,
        *,
        fields: list[Any],
        ngrams: tuple[int, int],
        fold: bool,
        binary: bool,
        bits: int | None,
        seed: int,
    ) -> None: ...
