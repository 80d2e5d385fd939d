"""MIRA with kernels."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import number
from ..base.types import Label
from ._expansion import Expansion
from ._learners import MIRAState
from .face import KernelClassifier
from .kernels.base import Kernel


class KernelMIRA(KernelClassifier):
    """MIRA with a kernel (Crammer & Singer, JMLR 3, 2003).

    The smallest change of all labels' coefficients together that puts the true label on top. It
    begins with a uniform perceptron step, since it would never leave zero by itself.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    beta : float >= 0, default 0.0
        Margin asked for. Above 0 it is the exact multiclass PA-I with C = 1 / beta.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : KernelMIRA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> MIRAState:
        return MIRAState(Expansion(self._program()), self.beta)
