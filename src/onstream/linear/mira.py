"""MIRA: after each mistake, the smallest weights within reach."""

from typing import Any, Unpack

from ..base.checks import number
from ._ultraconservative import MIRAState
from .base import LinearClassifier, LinearClassifierOptions


class MIRA(LinearClassifier):
    """Margin infused relaxed algorithm (Crammer & Singer, JMLR 3, 2003).

    After each mistake it takes the weights that are smallest, among all that moving the rows by
    multiples of x can reach: the true label gains at most x, what it gains the others lose. With
    beta > 0 it learns whenever the margin is below beta, and then predicts just what
    `ExactMulticlassPA(C=1/beta)` does, with weights beta times as large.

    Zero weights are the smallest, so with beta = 0 it could never leave them; while all are zero
    it makes the uniform perceptron's step. The same in plain NumPy:
    tests/oracles/ultraconservative.py.

    Parameters
    ----------
    beta : float >= 0, default 0.0
        Margin below which it learns; 0 is the original algorithm. Lower values learn more slowly.

    Examples
    --------
    >>> model = MIRA()
    >>> model.learn_one({"cloudy": 1, "wind": 4}, "rain")
    >>> model.learn_one({"sunny": 1, "wind": 2}, "dry")
    >>> model.predict_one({"cloudy": 1, "wind": 3})
    'rain'
    """

    def __init__(self, *, beta: float = 0.0, **common: Unpack[LinearClassifierOptions]) -> None:
        self.beta = number(self, "beta", beta, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MIRAState(self.intercept, self.beta, 1.0)
