"""The Projectron: examples near the span of the supports only change coefficients."""

from typing import Any, Unpack

from ...base.checks import number
from ..base import KernelClassifier, KernelClassifierOptions, checked_budget
from ._one_vs_rest import OneVsRestState
from ._projectron import ProjectronMachine

ETA_HINT = "It is a distance in the space of the kernel; 0.1 is a good start."


class Projectron(KernelClassifier):
    """Projectron (Orabona, Keshet & Caputo, JMLR 10, 2009).

    A perceptron that makes a mistake's example a support only if it is farther than `eta` from
    what the supports can express; otherwise its projection changes their coefficients. The number
    of supports stays finite by itself. More than two labels: one machine per label against the
    rest. The same in plain NumPy: tests/oracles/kernel_learners.py.

    Parameters
    ----------
    eta : float >= 0, default 0.1
        How far f may be moved by a projection. Raise it for fewer supports; 0 is the perceptron.
    budget : int or None, default None
        Most supports (of each label's machine): a full one always projects. None: no limit.

    Examples
    --------
    >>> model = Projectron(eta=0.5)
    >>> for x in (1.0, -1.0, 1.1, -1.1):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    _plus = False  # Projectron++: also learn from small margins

    def __init__(
        self,
        *,
        eta: float = 0.1,
        budget: int | None = None,
        **common: Unpack[KernelClassifierOptions],
    ) -> None:
        self.eta = number(self, "eta", eta, least=0.0, hint=ETA_HINT)
        self.budget = None if budget is None else checked_budget(self, budget)
        super().__init__(**common)

    def _new_state(self) -> Any:
        parameters = self.budget, self.eta, self._plus
        return OneVsRestState(self._compiled(), ProjectronMachine, *parameters)
