"""Passive-aggressive classification, in its three variants."""

from typing import Any, Unpack

from ..base import LinearClassifier, LinearClassifierOptions, ScaleOptions
from ._pa import PAState
from .base import ScaledPA, VariantOptions


class PAClassifierOptions(VariantOptions, ScaleOptions, LinearClassifierOptions, total=False):
    """Parameters of the bases, but for C."""


class PAClassifier(ScaledPA, LinearClassifier):
    """Passive-aggressive classifier (Crammer et al., JMLR 7, 2006).

    Passive while the margin is at least 1; otherwise it makes the smallest change of the weights
    that restores it. With more than two labels the margin is that of the true label over the
    best-scored wrong one. The same in plain NumPy: tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    C : float > 0 or None, default None
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy, raise it to follow fast
        changes. None is 1.0, and 0.05 with scale="auto".

    Examples
    --------
    >>> model = PAClassifier(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    _scaled_C = 0.05

    def __init__(self, *, C: float | None = None, **common: Unpack[PAClassifierOptions]) -> None:
        super().__init__(C=C, **common)

    def _new_state(self) -> Any:
        return PAState(self.intercept, self.variant, self._aggressiveness())
