"""Passive-aggressive classification, in its three variants."""

from typing import Any, Unpack

from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearClassifier, ScaledIfAsked, ScaleOptions
from ._pa import PAState
from .base import PAClassifierOptions


class ScaledPAClassifierOptions(PAClassifierOptions, ScaleOptions, total=False):
    """Parameters of the bases."""


class PAClassifier(PassiveAggressive, ScaledIfAsked, LinearClassifier):
    """Passive-aggressive classifier (Crammer et al., JMLR 7, 2006).

    Passive while the margin is at least 1; otherwise it makes the smallest change of the weights
    that restores it. With more than two labels the margin is that of the true label over the
    best-scored wrong one. The same in plain NumPy: tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy. With scale="auto" 0.05 is
        a good start, and 1.0 follows fast changes.

    Examples
    --------
    >>> model = PAClassifier(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(self, **common: Unpack[ScaledPAClassifierOptions]) -> None:
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PAState(self.intercept, self.variant, self.C)
