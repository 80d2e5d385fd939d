"""Passive-aggressive learning with kernels."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, number, positive
from ..base.types import Label
from ._expansion import Expansion
from ._learners import PARegressorState, PAState
from .face import KernelClassifier, KernelRegressor
from .kernels.base import Kernel

VARIANTS = ("PA-I", "PA", "PA-II")
C_HINT = "It caps the step per example; 1.0 is a good start."


class KernelPA(KernelClassifier):
    """Passive-aggressive classifier with a kernel (Crammer et al., JMLR 7, 2006).

    Every example whose margin is below 1 becomes a support, with the smallest coefficient that
    restores the margin. With more than two labels the margin is that of the true label over the
    best-scored wrong one.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : KernelPA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.C = positive(self, "C", C, C_HINT)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> PAState:
        expansion = Expansion(self._program())
        return PAState(expansion, self.variant, self.C)


class KernelPARegressor(KernelRegressor):
    """Passive-aggressive regression with a kernel (Crammer et al., JMLR 7, 2006).

    Every example that is predicted worse than `epsilon` becomes a support.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when targets are noisy.
    epsilon : float >= 0, default 0.1
        Errors up to this are no errors. Raise it for fewer supports.
    init : KernelPARegressor or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        epsilon: float = 0.1,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_kernel(kernel)
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.C = positive(self, "C", C, C_HINT)
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        self._begin(init, reset_schedule)

    def _new_state(self) -> PARegressorState:
        expansion = Expansion(self._program())
        return PARegressorState(expansion, self.variant, self.C, self.epsilon)
