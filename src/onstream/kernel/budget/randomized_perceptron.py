"""A perceptron that drops supports at random."""

from typing import Unpack

from .._expansion import DropRandom, Expansion
from ..base import checked_seed
from .base import BudgetPerceptron, BudgetPerceptronOptions


class RandomizedPerceptron(BudgetPerceptron):
    """Randomized budget perceptron (Cavallanti, Cesa-Bianchi & Gentile, 2007).

    When the budget is full, a support drawn at random makes room for the new one.

    Parameters
    ----------
    seed : int, default 0
        Seed of the draws.

    Examples
    --------
    >>> model = RandomizedPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(self, *, seed: int = 0, **common: Unpack[BudgetPerceptronOptions]) -> None:
        self.seed = checked_seed(self, seed)
        super().__init__(**common)

    def _expansion(self) -> Expansion:
        return DropRandom(self._compiled(), self.budget, self.seed)
