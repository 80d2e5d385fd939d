"""The kernel perceptron."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, number
from ..base.types import Label
from ._expansion import Expansion
from ._learners import PerceptronState
from .face import KernelClassifier
from .kernels.base import Kernel

UPDATES = ("max", "uniform", "proportional")


class KernelPerceptron(KernelClassifier):
    """Kernel perceptron (Freund & Schapire, 1999; more labels: Crammer & Singer, 2003).

    f(x) is the sum of a_i K(x_i, x). Every mistake makes the example a support with a = +1 or -1,
    so memory and time grow with the number of mistakes; see `RandomizedPerceptron`, `Forgetron`
    and the other budget learners for a bound.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    update : {"max", "uniform", "proportional"}, default "max"
        With more than two labels: which wrong labels lose, the best-scored one, all that are
        above the true one, or these in proportion to their excess.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : KernelPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> from onstream.kernel import RBF
    >>> model = KernelPerceptron(kernel=RBF(gamma=1.0))
    >>> for _ in range(5):
    ...     for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
    ...         model.learn_one({"a": a, "b": b}, a != b)
    >>> [model.predict_one({"a": a, "b": b}) for a, b in ((0, 0), (0, 1), (1, 0), (1, 1))]
    [False, True, True, False]
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        update: Literal["max", "uniform", "proportional"] = "max",
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self.update = choice(self, "update", update, UPDATES)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> PerceptronState:
        expansion = Expansion(self._program())
        return PerceptronState(expansion, self.beta, self.update)
