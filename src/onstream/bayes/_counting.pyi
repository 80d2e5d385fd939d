from ..core.state import State

class MultinomialState(State):
    def __init__(self, prior_alpha: float, alpha: float) -> None: ...

class BernoulliState(State):
    def __init__(self, prior_alpha: float, alpha: float) -> None: ...
