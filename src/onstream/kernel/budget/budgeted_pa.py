"""Passive-aggressive learning on a budget."""

from typing import Any, Literal, Unpack

from ...base.checks import choice, flag, positive
from ...base.passive_aggressive import C_HINT
from ._budgeted_pa import BPANearest, BPAProjection, BPASimple
from ._one_vs_rest import OneVsRestState
from .base import Budgeted, BudgetOptions

MACHINES = {"simple": BPASimple, "nearest": BPANearest, "projection": BPAProjection}


class BudgetedPA(Budgeted):
    """Budgeted passive-aggressive classifier, PA-I (Wang & Vucetic, AISTATS 2010).

    When the budget is full, the support makes room whose removal, together with the step for the
    new example, changes f least; what others can take over of it is taken over. More than two
    labels: one machine per label against the rest, each with its budget. The same in plain NumPy:
    tests/oracles/kernel_learners.py.

    Parameters
    ----------
    C : float > 0, default 1.0
        Aggressiveness; lower it when labels are noisy.
    maintenance : {"simple", "nearest", "projection"}, default "simple"
        Which supports take over: the new one; also the nearest one; all. Each is more exact than
        the one before; "projection" costs budget ** 2 per step.
    allow_skip : bool, default False
        Leave out a step that costs more than the loss it removes.

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
        C: float = 1.0,
        maintenance: Literal["simple", "nearest", "projection"] = "simple",
        allow_skip: bool = False,
        **common: Unpack[BudgetOptions],
    ) -> None:
        self.C = positive(self, "C", C, C_HINT)
        self.maintenance = choice(self, "maintenance", maintenance, MACHINES)
        self.allow_skip = flag(self, "allow_skip", allow_skip)
        super().__init__(**common)

    def _new_state(self) -> Any:
        machine = MACHINES[self.maintenance]
        parameters = self.budget, self.C, self.allow_skip
        return OneVsRestState(self._compiled(), machine, *parameters)
