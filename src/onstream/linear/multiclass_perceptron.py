"""The multiclass perceptron, in its ultraconservative forms."""

from typing import Any, Literal, Unpack

from ..base.checks import choice
from ._ultraconservative import MulticlassPerceptronState
from .base import LinearClassifier, LinearClassifierOptions


class MulticlassPerceptron(LinearClassifier):
    """Multiclass perceptron (Crammer & Singer, JMLR 3, 2003): learns from its mistakes only.

    Whenever the true label does not win, its weights gain x, and the labels that scored at least
    as high share the loss of x as `update` says. If some weights of length 1 separate all
    examples by gamma, it makes at most 2 R^2 / gamma^2 mistakes, whatever the order. The same in
    plain NumPy: tests/oracles/ultraconservative.py.

    Parameters
    ----------
    update : {"max", "uniform", "proportional"}, default "max"
        Who pays: the best-scored label, all that beat the true one in equal shares, or in
        proportion to how far they beat it. "uniform" suits noisy data.

    Examples
    --------
    >>> model = MulticlassPerceptron(labels=["dog", "cat", "bird"])
    >>> model.learn_one({"fur": 1, "purrs": 1}, "cat")
    >>> model.learn_one({"wings": 1}, "bird")
    >>> model.predict_one({"purrs": 1})
    'cat'
    """

    def __init__(
        self,
        *,
        update: Literal["max", "uniform", "proportional"] = "max",
        **common: Unpack[LinearClassifierOptions],
    ) -> None:
        self.update = choice(self, "update", update, ("max", "uniform", "proportional"))
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MulticlassPerceptronState(self.intercept, self.update)
