"""Passive-aggressive classification with kernels."""

from typing import Any, Unpack

from ..base.passive_aggressive import PAOptions, PassiveAggressive
from ._expansion import Expansion
from ._learners import PAState
from .base import KernelClassifier, KernelClassifierOptions


class KernelPAOptions(PAOptions, KernelClassifierOptions, total=False):
    """Parameters of the passive-aggressive classifier."""


class KernelPA(PassiveAggressive, KernelClassifier):
    """Passive-aggressive classifier with a kernel (Crammer et al., JMLR 7, 2006).

    Every example whose margin is below 1 becomes a support, with the smallest coefficient that
    restores the margin. With more than two labels the margin is that of the true label over the
    best-scored wrong one.

    Examples
    --------
    >>> from onstream.kernel import Polynomial
    >>> model = KernelPA(kernel=Polynomial(degree=2))
    >>> for _ in range(10):
    ...     for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
    ...         model.learn_one({"a": a, "b": b}, "same" if a == b else "different")
    >>> model.predict_one({"a": -1, "b": 1})
    'different'
    """

    def __init__(self, **common: Unpack[KernelPAOptions]) -> None:
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PAState(Expansion(self._compiled()), self.variant, self.C)
