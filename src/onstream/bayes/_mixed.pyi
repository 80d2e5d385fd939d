from ..core.state import State

class MixedState(State):
    def __init__(
        self,
        prior_alpha: float,
        alpha: float,
        smoothing: float,
        categorical: set[str] | bool | None,
        declared: dict[str, int] | None,
    ) -> None: ...
