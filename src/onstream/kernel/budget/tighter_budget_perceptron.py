"""A perceptron that drops the support whose absence causes the fewest errors."""

from typing import Any, Unpack

from ...base.checks import whole
from ._fixed_budget import TighterMachine
from ._one_vs_rest import OneVsRestState
from .base import BudgetOptions
from .fixed_budget_perceptron import FixedBudgetPerceptron


class TighterBudgetOptions(BudgetOptions, total=False):
    """Parameters of the tighter budget perceptron, but for its own."""

    beta: float


class TighterBudgetPerceptron(FixedBudgetPerceptron):
    """Tighter budget perceptron (Weston, Bordes & Bottou, AISTATS 2005).

    When the budget is full, the support makes room whose absence causes the fewest errors on the
    supports and the last examples. Slower than the others, since every example is compared with
    `memory` more. More than two labels: one machine per label against the rest. The same in plain
    NumPy: tests/oracles/kernel_learners.py.

    Parameters
    ----------
    memory : int >= 0, default 100
        How many of the last examples, besides the supports, count the errors.

    Examples
    --------
    >>> model = TighterBudgetPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(self, *, memory: int = 100, **common: Unpack[TighterBudgetOptions]) -> None:
        self.memory = whole(self, "memory", memory, least=0, most=2**31 - 1)
        super().__init__(**common)

    def _new_state(self) -> Any:
        parameters = self.budget, self.beta, self.memory
        return OneVsRestState(self._compiled(), TighterMachine, *parameters)
