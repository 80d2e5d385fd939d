"""Online gradient descent with kernels on a budget."""

from typing import Any, Literal, Unpack

from ...base.checks import choice, number, positive
from ..base import checked_seed
from ._gradient import BOGDMachine
from ._one_vs_rest import OneVsRestState
from .base import Budgeted, BudgetOptions

ETA_HINT = "It is the step per example."


class BOGD(Budgeted):
    """Budgeted online gradient descent on the hinge loss (Zhao, Wang, Wu, Jin & Hoi, ICML 2012).

    Every example with a loss becomes a support with coefficient eta. When the budget is full, one
    that is drawn makes room, and the others are enlarged so that f stays the same on average. More
    than two labels: one machine per label against the rest, each with its budget.

    Parameters
    ----------
    eta : float > 0, default 0.5
        Step per example. Lower it when labels are noisy.
    lam : float >= 0, default 0.01
        Regularisation: every round all coefficients are multiplied by 1 - eta * lam.
    removal : {"nonuniform", "uniform"}, default "nonuniform"
        Which support goes: those with small coefficients sooner (BOGD++), or any.
    cap : float or None, default None
        No coefficient may pass cap * eta. None: no limit.
    seed : int, default 0
        Seed of the draws.

    Examples
    --------
    >>> model = BOGD(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(
        self,
        *,
        eta: float = 0.5,
        lam: float = 0.01,
        removal: Literal["nonuniform", "uniform"] = "nonuniform",
        cap: float | None = None,
        seed: int = 0,
        **common: Unpack[BudgetOptions],
    ) -> None:
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self.lam = number(self, "lam", lam, least=0.0)
        if self.eta * self.lam >= 1.0:
            raise ValueError(
                f"BOGD: lam must be below 1 / eta = {1.0 / self.eta:g}, got {self.lam:g}: "
                f"coefficients would change their sign every round."
            )
        self.removal = choice(self, "removal", removal, ("nonuniform", "uniform"))
        self.cap = None if cap is None else positive(self, "cap", cap)
        self.seed = checked_seed(self, seed)
        super().__init__(**common)

    def _new_state(self) -> Any:
        parameters = self.budget, self.eta, self.lam, self.removal, self.cap, self.seed
        return OneVsRestState(self._compiled(), BOGDMachine, *parameters)
