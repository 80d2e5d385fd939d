"""A perceptron that drops the support that is safest without itself."""

from typing import Any, Unpack

from ...base.checks import number
from ._fixed_budget import FixedBudgetMachine
from ._one_vs_rest import OneVsRestState
from .base import Budgeted, BudgetOptions


class FixedBudgetPerceptron(Budgeted):
    """Budget conscious perceptron (Crammer, Kandola & Singer, NIPS 2003).

    When the budget is full, the support makes room whose margin would be the largest without
    itself. More than two labels: one machine per label against the rest, each with its budget.
    The same in plain NumPy: tests/oracles/kernel_learners.py.

    Parameters
    ----------
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.

    Examples
    --------
    >>> model = FixedBudgetPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(self, *, beta: float = 0.0, **common: Unpack[BudgetOptions]) -> None:
        self.beta = number(self, "beta", beta, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return OneVsRestState(self._compiled(), FixedBudgetMachine, self.budget, self.beta)
