"""MIRA with kernels."""

from typing import Any, Unpack

from ..base.checks import number
from ._expansion import Expansion
from ._learners import MIRAState
from .base import KernelClassifier, KernelClassifierOptions


class KernelMIRA(KernelClassifier):
    """MIRA with a kernel (Crammer & Singer, JMLR 3, 2003).

    The smallest change of all labels' coefficients together that puts the true label on top. It
    begins with a uniform perceptron step, since it would never leave zero by itself.

    Parameters
    ----------
    beta : float >= 0, default 0.0
        Margin asked for. Above 0 it is the exact multiclass PA-I with C = 1 / beta.

    Examples
    --------
    >>> from onstream.kernel import RBF
    >>> model = KernelMIRA(kernel=RBF(gamma=1.0), beta=0.5, labels=["a", "b", "c"])
    >>> for _ in range(3):
    ...     for x, y in ((0.0, "a"), (2.0, "b"), (4.0, "c")):
    ...         model.learn_one({"x": x}, y)
    >>> model.predict_one({"x": 3.9})
    'c'
    """

    def __init__(self, *, beta: float = 0.0, **common: Unpack[KernelClassifierOptions]) -> None:
        self.beta = number(self, "beta", beta, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MIRAState(Expansion(self._compiled()), self.beta)
