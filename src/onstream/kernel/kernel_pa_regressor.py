"""Passive-aggressive regression with kernels."""

from typing import Any, Unpack

from ..base.checks import number
from ..base.passive_aggressive import PAOptions, PassiveAggressive
from ._expansion import Expansion
from ._learners import PARegressorState
from .base import KernelRegressor, KernelRegressorOptions


class KernelPARegressorOptions(PAOptions, KernelRegressorOptions, total=False):
    """Parameters of the passive-aggressive regressor, but for its own."""


class KernelPARegressor(PassiveAggressive, KernelRegressor):
    """Passive-aggressive regression with a kernel (Crammer et al., JMLR 7, 2006).

    Every example that is predicted worse than `epsilon` becomes a support.

    Parameters
    ----------
    epsilon : float >= 0, default 0.1
        Errors up to this are no errors. Raise it for fewer supports.

    Examples
    --------
    >>> from onstream.kernel import RBF
    >>> model = KernelPARegressor(kernel=RBF(gamma=2.0), C=10.0, epsilon=0.01)
    >>> for _ in range(50):
    ...     for x in (0.0, 0.5, 1.0, 1.5):
    ...         model.learn_one({"x": x}, x * x)
    >>> round(model.predict_one({"x": 1.0}), 1)
    1.0
    """

    def __init__(self, *, epsilon: float = 0.1, **common: Unpack[KernelPARegressorOptions]) -> None:
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PARegressorState(Expansion(self._compiled()), self.variant, self.C, self.epsilon)
