"""Online gradient descent by Nyström features."""

from typing import Any, Unpack

from ...base.checks import positive, whole
from ._gradient import NOGDMachine
from ._one_vs_rest import OneVsRestState
from .base import Budgeted, BudgetOptions
from .bogd import ETA_HINT


class NOGD(Budgeted):
    """Nyström online gradient descent on the hinge loss (Lu, Hoi, Wang, Zhao & Liu, JMLR 2016).

    Kernel gradient descent until the budget is full; from then on a linear learner in the space of
    the leading eigenvectors of the supports, which stay as they are. More than two labels: one
    machine per label against the rest.

    Parameters
    ----------
    budget : int >= 1, default 100
        Supports (of each label's machine). More describe the data better.
    rank : int >= 1, default 20
        Eigenvectors in use, at most the budget. More are more exact, and slower.
    eta : float > 0, default 0.2
        Step per example. Lower it when labels are noisy.

    Examples
    --------
    >>> model = NOGD(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self, *, rank: int = 20, eta: float = 0.2, **common: Unpack[BudgetOptions]
    ) -> None:
        self.rank = whole(self, "rank", rank, least=1, most=2**31 - 1)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return OneVsRestState(self._compiled(), NOGDMachine, self.budget, self.rank, self.eta)
