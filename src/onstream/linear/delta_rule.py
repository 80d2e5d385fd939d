"""Classification by the delta rule of Widrow and Hoff."""

from typing import Any, Unpack

from ..base.checks import positive
from ._delta_rule import DeltaState
from .base import LinearClassifier, LinearClassifierOptions


class DeltaRule(LinearClassifier):
    """Adaline: classification by the delta rule (Widrow & Hoff, IRE WESCON, 1960).

    The labels are the numbers -1 and +1, and w.x is fitted to them by w += eta (y - w.x) x: also
    where the label is right already. With more than two labels each has its own weights, fitted
    to +1 where it is the true one and to -1 where not. The same in plain NumPy:
    tests/oracles/delta_rule.py.

    Parameters
    ----------
    eta : float > 0, default 0.01
        Learning rate. Raise it for speed; at 2 / |x|^2 and beyond it explodes.

    Examples
    --------
    >>> model = DeltaRule(eta=0.1)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    _share = 1.0

    def __init__(self, *, eta: float = 0.01, **common: Unpack[LinearClassifierOptions]) -> None:
        self.eta = positive(self, "eta", eta, "It is the learning rate; try 0.1 or 0.01.")
        super().__init__(**common)

    def _new_state(self) -> Any:
        return DeltaState(self.intercept, self._share, self.eta)
