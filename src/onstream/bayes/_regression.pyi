from ..core.regressor import RegressorModel
from ..core.state import State

class PosteriorState(State):
    def __init__(self, intercept: bool, lam: float, noise: float) -> None: ...

class PosteriorModel(RegressorModel): ...
