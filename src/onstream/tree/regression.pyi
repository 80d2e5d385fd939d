from typing import Any

class HoeffdingRegressorState:
    def __init__(
        self, who: str, hash_bits: None, hash_seed: int, params: dict[str, Any]
    ) -> None: ...
