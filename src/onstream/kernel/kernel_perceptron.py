"""The kernel perceptron."""

from typing import Any, Literal, Unpack

from ..base.checks import choice, number
from ._expansion import Expansion
from ._learners import PerceptronState
from .base import KernelClassifier, KernelClassifierOptions

UPDATES = ("max", "uniform", "proportional")
Update = Literal["max", "uniform", "proportional"]


class PerceptronOptions(KernelClassifierOptions, total=False):
    """Parameters of every kernel perceptron."""

    update: Update
    beta: float


class KernelPerceptron(KernelClassifier):
    """Kernel perceptron (Freund & Schapire, 1999; more labels: Crammer & Singer, 2003).

    f(x) is the sum of a_i K(x_i, x). Every mistake makes the example a support with a = +1 or -1,
    so memory and time grow with the number of mistakes; see `RandomizedPerceptron`, `Forgetron`
    and the other budget learners for a bound.

    Parameters
    ----------
    update : {"max", "uniform", "proportional"}, default "max"
        With more than two labels: which wrong labels lose, the best-scored one, all that are
        above the true one, or these in proportion to their excess.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.

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
        update: Update = "max",
        beta: float = 0.0,
        **common: Unpack[KernelClassifierOptions],
    ) -> None:
        self.update = choice(self, "update", update, UPDATES)
        self.beta = number(self, "beta", beta, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PerceptronState(self._expansion(), self.beta, self.update)

    def _expansion(self) -> Expansion:
        return Expansion(self._compiled())
