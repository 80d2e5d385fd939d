from typing import Any, Literal

from .base import LinearRegressor

class PARegressor(LinearRegressor):
    variant: Literal["PA-I", "PA", "PA-II"]
    C: float
    epsilon: float
    def __init__(
        self,
        *,
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        epsilon: float = 0.1,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: PARegressor | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
