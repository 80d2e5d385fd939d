"""Passive-aggressive classification, in its three variants."""

from typing import Any, Unpack

from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearClassifier
from ._pa import PAState
from .base import PAClassifierOptions


class PAClassifier(PassiveAggressive, LinearClassifier):
    """Passive-aggressive classifier (Crammer et al., JMLR 7, 2006).

    Passive while the margin is at least 1; otherwise it makes the smallest change of the weights
    that restores it. With more than two labels the margin is that of the true label over the
    best-scored wrong one. The same in plain NumPy: tests/oracles/passive_aggressive.py.

    Examples
    --------
    >>> model = PAClassifier(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(self, **common: Unpack[PAClassifierOptions]) -> None:
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PAState(self.intercept, self.variant, self.C)
