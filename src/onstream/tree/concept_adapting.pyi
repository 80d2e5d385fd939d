from typing import Any

class ConceptAdaptingState:
    def __init__(
        self, who: str, hash_bits: None, hash_seed: int, max_labels: int, params: dict[str, Any]
    ) -> None: ...
    started: int
    switched: int
    pruned: int
