"""Nearest neighbours in a window that ADWIN cuts."""

from typing import Any, Unpack

from ..base.checks import number
from ._knn import KNNADWINState
from .base import KNNClassifierOptions
from .knn_classifier import KNNClassifier


class KNNADWINClassifier(KNNClassifier):
    """k nearest neighbours in a window that shrinks when errors become more (Losing et al., 2016).

    As `KNNClassifier`; besides, each example is predicted before it is remembered, ADWIN watches
    the errors, and when it finds a change, the oldest examples are forgotten until the window is
    as short as ADWIN's. The same in plain NumPy: tests/oracles/knn.py and adwin.py.

    Parameters
    ----------
    window : int >= 1, default 1000
        Examples it remembers at most.
    delta : float in (0, 1), default 0.002
        Of ADWIN: raise it to forget sooner.

    Examples
    --------
    >>> model = KNNADWINClassifier()
    >>> for i in range(600):
    ...     model.learn_one({"x": i % 10}, (i % 10 < 5) == (i < 400))
    >>> model.width < 300
    True
    """

    def __init__(self, *, delta: float = 0.002, **common: Unpack[KNNClassifierOptions]) -> None:
        self.delta = number(self, "delta", delta, above=0.0, most=1.0 - 1e-9)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return KNNADWINState(*self._of_window(), self.delta)

    @property
    def width(self) -> int:
        """How many examples are remembered now."""
        return int(self._model.readable_state().window.n)
