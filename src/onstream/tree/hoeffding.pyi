from typing import Any

class HoeffdingState:
    def __init__(
        self, who: str, hash_bits: None, hash_seed: int, max_labels: int, params: dict[str, Any]
    ) -> None: ...
