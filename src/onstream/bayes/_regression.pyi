from typing import Self

from ..core.regressor import RegressorModel
from ..core.state import State

class PosteriorState(State):
    def __new__(cls, intercept: bool, lam: float, noise: float, most: int) -> Self: ...

class PosteriorModel(RegressorModel): ...
