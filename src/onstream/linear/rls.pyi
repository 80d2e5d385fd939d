from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import LinearRegressor

class RLS(LinearRegressor):
    lam: float
    forgetting: float
    joseph: bool
    def __init__(
        self,
        *,
        lam: float = 1.0,
        forgetting: float = 1.0,
        joseph: bool = False,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: RLS | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    @property
    def P(self) -> NDArray[np.float64]: ...
