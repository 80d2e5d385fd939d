from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.regressor import Regressor
from ..base.types import Example
from .distribution import Normal

class BayesianLinearRegression(Regressor):
    lam: float
    noise: float
    intercept: bool
    def __init__(
        self,
        *,
        lam: float = 1.0,
        noise: float = 1.0,
        intercept: bool = True,
        init: BayesianLinearRegression | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    def predict_dist_one(self, x: Example) -> Normal: ...
    @property
    def weights(self) -> dict[Any, float]: ...
    @property
    def bias(self) -> float: ...
    @property
    def covariance(self) -> NDArray[np.float64]: ...
