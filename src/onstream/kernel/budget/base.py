"""What learners on a budget share: the budget."""

from typing import Any, Unpack

from ..base import KernelClassifier, KernelClassifierOptions, checked_budget
from ..kernel_perceptron import KernelPerceptron, PerceptronOptions


class BudgetOptions(KernelClassifierOptions, total=False):
    """Parameters of every classifier on a budget."""

    budget: int


class BudgetPerceptronOptions(PerceptronOptions, BudgetOptions, total=False):
    """Parameters of every budget perceptron that drops whole supports."""


class Budgeted(KernelClassifier):
    """A kernel learner of labels with a bound on its supports.

    Parameters
    ----------
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    """

    def __init__(self, *, budget: int = 100, **common: Any) -> None:
        self.budget = checked_budget(self, budget)
        super().__init__(**common)


class BudgetPerceptron(Budgeted, KernelPerceptron):
    """A kernel perceptron that keeps or drops whole supports.

    Parameters
    ----------
    budget : int >= 1, default 100
        Most supports. More cost time and memory, and mostly help.
    """

    def __init__(self, **common: Unpack[BudgetPerceptronOptions]) -> None:
        super().__init__(**common)
