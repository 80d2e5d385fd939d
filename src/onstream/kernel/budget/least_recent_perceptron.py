"""A perceptron that drops its oldest support."""

from .._expansion import DropOldest, Expansion
from .base import BudgetPerceptron


class LeastRecentPerceptron(BudgetPerceptron):
    """Budget perceptron that drops its oldest support (Cavallanti et al., 2007).

    It forgets by age alone, which suits streams that drift.

    Parameters
    ----------
    budget : int >= 1, default 100
        Most supports. Fewer forget faster.

    Examples
    --------
    >>> model = LeastRecentPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def _expansion(self) -> Expansion:
        return DropOldest(self._compiled(), self.budget)
