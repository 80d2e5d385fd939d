from typing import Any

class ExtremelyFastState:
    def __init__(
        self, who: str, hash_bits: None, hash_seed: int, max_labels: int, params: dict[str, Any]
    ) -> None: ...
