from typing import Self

from ..core.state import State

class MultinomialState(State):
    def __new__(cls, prior_alpha: float, alpha: float) -> Self: ...

class BernoulliState(State):
    def __new__(cls, prior_alpha: float, alpha: float) -> Self: ...
