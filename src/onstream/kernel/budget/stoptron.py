"""A perceptron that stops when its budget is full."""

from .._expansion import Expansion, StopWhenFull
from .base import BudgetPerceptron


class Stoptron(BudgetPerceptron):
    """Kernel perceptron that stops learning when its budget is full (Orabona et al., 2009).

    The simplest of all, and the yardstick for the others.

    Examples
    --------
    >>> model = Stoptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def _expansion(self) -> Expansion:
        return StopWhenFull(self._compiled(), self.budget)
