"""Budget perceptrons that look before they drop: fixed and tighter budget."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import number, whole
from ..base.types import Label
from ._one_vs_rest import OneVsRestState
from .budget._fixed_budget import FixedBudgetMachine, TighterMachine
from .face import KernelClassifier
from .kernels.base import Kernel


class FixedBudgetPerceptron(KernelClassifier):
    """Budget conscious perceptron (Crammer, Kandola & Singer, NIPS 2003).

    When the budget is full, the support makes room whose margin would be the largest without
    itself. More than two labels: one machine per label against the rest, each with its budget.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : FixedBudgetPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = FixedBudgetPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        return OneVsRestState(self._program(), FixedBudgetMachine, self.budget, self.beta)


class TighterBudgetPerceptron(KernelClassifier):
    """Tighter budget perceptron (Weston, Bordes & Bottou, AISTATS 2005).

    When the budget is full, the support makes room whose absence causes the fewest errors on the
    supports and the last examples. Slower than the others, since every example is compared with
    `memory` more. More than two labels: one machine per label against the rest.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    memory : int >= 0, default 100
        How many of the last examples, besides the supports, count the errors.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : TighterBudgetPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = TighterBudgetPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        memory: int = 100,
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.memory = whole(self, "memory", memory, least=0, most=2**31 - 1)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        return OneVsRestState(self._program(), TighterMachine, self.budget, self.beta, self.memory)
