from typing import Any, Literal

from .base import LinearRegressor

class LinearRegression(LinearRegressor):
    eta: float
    schedule: Literal["constant", "power", "inverse", "sqrt"]
    power: float
    l2: float
    normalized: bool
    def __init__(
        self,
        *,
        eta: float = 0.01,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l2: float = 0.0,
        normalized: bool = False,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: LinearRegression | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
