"""Multiclass passive-aggressive classification with every label's constraint."""

from math import inf
from typing import Any, Unpack

from ..base.checks import positive
from ._ultraconservative import MIRAState
from .base import LinearClassifier, LinearClassifierOptions


class ExactMulticlassPA(LinearClassifier):
    """Multiclass passive-aggressive classifier, PA-I with every label's constraint.

    `PAClassifier` restores the margin over the best-scored wrong label only, and another one may
    then stand in the way. This one makes the smallest change that restores the margin of 1 over
    all of them (or pays C for what is missing), in O(k log k) for k labels (Crammer et al.,
    JMLR 7, 2006; solved as in Crammer & Singer, JMLR 3, 2003). The same in plain NumPy:
    tests/oracles/ultraconservative.py.

    Parameters
    ----------
    C : float > 0 or infinity, default 1.0
        Aggressiveness: no row moves by more than C x. Lower it when labels are noisy. Infinity:
        the margin is restored whatever it takes (kept as 1e300, which no step may reach).

    Examples
    --------
    >>> model = ExactMulticlassPA(C=1e300, labels=["dog", "cat", "bird"], intercept=False)
    >>> model.learn_one({"fur": 1, "purrs": 1}, "cat")
    >>> {label: round(score, 9) for label, score in model.score_one({"fur": 1, "purrs": 1}).items()}
    {'dog': -0.333333333, 'cat': 0.666666667, 'bird': -0.333333333}
    """

    def __init__(self, *, C: float = 1.0, **common: Unpack[LinearClassifierOptions]) -> None:
        given: Any = C
        if isinstance(given, float) and given == inf:
            given = 1e300
        self.C = positive(self, "C", given, "It caps the step per example; 1.0 is a good start.")
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MIRAState(self.intercept, 1.0, self.C)
