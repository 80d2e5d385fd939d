from ..core.state import State

class BagState(State):
    def __init__(
        self,
        fields: list[str],
        how: tuple[int, int, bool, bool],
        bits: int | None,
        seed: int,
    ) -> None: ...
