"""Passive-aggressive learning on a budget."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, flag, positive
from ..base.types import Label
from ._one_vs_rest import OneVsRestState
from .budget._budgeted_pa import BPANearest, BPAProjection, BPASimple
from .face import KernelClassifier
from .kernels.base import Kernel
from .passive_aggressive import C_HINT

MACHINES = {"simple": BPASimple, "nearest": BPANearest, "projection": BPAProjection}


class BudgetedPA(KernelClassifier):
    """Budgeted passive-aggressive classifier, PA-I (Wang & Vucetic, AISTATS 2010).

    When the budget is full, the support makes room whose removal, together with the step for the
    new example, changes f least; what others can take over of it is taken over. More than two
    labels: one machine per label against the rest, each with its budget.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    C : float > 0, default 1.0
        Aggressiveness; lower it when labels are noisy.
    maintenance : {"simple", "nearest", "projection"}, default "simple"
        Who takes over: the new support; also the nearest one; all. Each is more exact than the
        one before; "projection" costs budget ** 2 per step.
    allow_skip : bool, default False
        Leave out a step that costs more than the loss it removes.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : BudgetedPA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = BudgetedPA(budget=2, maintenance="nearest")
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
        C: float = 1.0,
        maintenance: Literal["simple", "nearest", "projection"] = "simple",
        allow_skip: bool = False,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.C = positive(self, "C", C, C_HINT)
        self.maintenance = choice(self, "maintenance", maintenance, MACHINES)
        self.allow_skip = flag(self, "allow_skip", allow_skip)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        machine = MACHINES[self.maintenance]
        arguments = self.budget, self.C, self.allow_skip
        return OneVsRestState(self._program(), machine, *arguments)
