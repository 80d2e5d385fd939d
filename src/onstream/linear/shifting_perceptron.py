"""The shifting perceptron: old mistakes fade, so that it follows a moving target."""

from typing import Any, Unpack

from ..base.checks import positive
from ..base.union import Exported
from ._perceptron import ShiftingState
from .base import LinearClassifier, LinearClassifierOptions


class ShiftingPerceptron(LinearClassifier):
    """Shifting perceptron (Cavallanti, Cesa-Bianchi & Gentile, Machine Learning 69, 2007).

    At its k-th mistake (k = 0, 1, ...) the weights become (1 - s) w + s y x with
    s = lam / (lam + k): an average of the mistakes in which the old ones fade. With more than two
    labels the true label gains s x / 2 and the best-scored wrong one loses it. `reset_schedule`
    counts k from 0 again, so that the next mistake replaces all before. The same in plain NumPy:
    tests/oracles/shifting_perceptron.py.

    Parameters
    ----------
    lam : float > 0, default 10.0
        How fast it forgets: raise it for fast drift. 1 is the plain perceptron.

    Examples
    --------
    >>> model = ShiftingPerceptron(lam=2.0, intercept=False)
    >>> for x in ({"a": 1}, {"b": 1}, {"c": 1}):
    ...     model.learn_one(x, True)
    >>> {name: round(weight, 6) for name, weight in model.weights.items()}
    {'a': 0.166667, 'b': 0.333333, 'c': 0.5}
    >>> model.updates
    3
    """

    def __init__(self, *, lam: float = 10.0, **common: Unpack[LinearClassifierOptions]) -> None:
        self.lam = positive(self, "lam", lam, "It is how fast old mistakes fade; try 10.")
        super().__init__(**common)

    def _new_state(self) -> Any:
        return ShiftingState(self.intercept, self.lam)

    @property
    def updates(self) -> int:
        """How many examples changed the weights: k."""
        return int(self._model.readable_state().updates)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return {**super()._merged(mine, theirs), "updates": mine["updates"] + theirs["updates"]}
