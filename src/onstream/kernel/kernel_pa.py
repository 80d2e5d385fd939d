"""Passive-aggressive classification with kernels."""

from typing import Any, Literal, TypedDict, Unpack

from ..base.checks import choice, positive
from ._expansion import Expansion
from ._learners import PAState
from .base import (
    KernelClassifier,
    KernelClassifierOptions,
    KernelLearner,
    KernelRegressorOptions,
)

VARIANTS = ("PA-I", "PA", "PA-II")
Variant = Literal["PA-I", "PA", "PA-II"]
C_HINT = "It caps the step per example; 1.0 is a good start."


class VariantOptions(TypedDict, total=False):
    """Parameters of passive-aggressive learners in their three variants."""

    variant: Variant
    C: float


class KernelPAOptions(VariantOptions, KernelClassifierOptions, total=False):
    """Parameters of the passive-aggressive classifier."""


class KernelPARegressorOptions(VariantOptions, KernelRegressorOptions, total=False):
    """Parameters of the passive-aggressive regressor, but for its own."""


class PassiveAggressive(KernelLearner):
    """A learner that makes the smallest change of f that mends the present example.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels or targets are noisy.
    """

    def __init__(self, *, variant: Variant = "PA-I", C: float = 1.0, **common: Any) -> None:
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.C = positive(self, "C", C, C_HINT)
        super().__init__(**common)


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
