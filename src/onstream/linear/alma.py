"""The approximate large margin algorithm, for the Euclidean norm."""

import math
from typing import Any, Unpack

import numpy as np

from ..base.checks import number, positive
from ..base.union import Exported
from ._alma import ALMAState
from .base import LinearClassifier, LinearClassifierOptions


class ALMA(LinearClassifier):
    """Approximate large margin algorithm (Gentile, JMLR 2, 2001).

    A perceptron that aims at the largest margin: examples are scaled to length 1, the weights stay
    within the unit ball, and both the margin it asks for and its step fall with the number k of
    corrections, as B / sqrt(k) and C / sqrt(k). On separable data the margin it reaches is at least
    1 - alpha times the best one. With more than two labels the margin is that of the true label
    over the best-scored wrong one. `reset_schedule` counts corrections from 1 again. The same in
    plain NumPy: tests/oracles/alma.py.

    Parameters
    ----------
    p : {2}, default 2
        The norm. The paper has others; here it is the Euclidean one.
    alpha : float > 0 and <= 1, default 0.9
        How far below the largest margin is good enough. Lower it for a larger margin, which takes
        more corrections; 1 corrects mistakes only.
    B : float > 0 or None, default None
        Scale of the margin; None means 1 / alpha, as in the paper's experiments. With
        sqrt(8) / alpha its mistake bound holds.
    C : float > 0, default 1.4142135623730951
        Scale of the step.

    Examples
    --------
    >>> model = ALMA()
    >>> model.learn_one({"free": 1, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.updates
    2
    """

    def __init__(
        self,
        *,
        p: int = 2,
        alpha: float = 0.9,
        B: float | None = None,
        C: float = math.sqrt(2.0),
        **common: Unpack[LinearClassifierOptions],
    ) -> None:
        if number(self, "p", p) != 2:
            raise ValueError(f"ALMA: p must be 2, got {p!r}. Other norms are not built.")
        self.p = 2
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0)
        self.B = None if B is None else positive(self, "B", B)
        self.C = positive(self, "C", C)
        super().__init__(**common)

    def _new_state(self) -> Any:
        B = 1.0 / self.alpha if self.B is None else self.B
        return ALMAState(self.intercept, self.alpha, B, self.C)

    @property
    def updates(self) -> int:
        """The number of corrections so far: k - 1 in the paper."""
        return int(self._model.readable_state().updates)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        merged = super()._merged(mine, theirs)
        weights = np.vstack([merged["scale"] * merged["weights"], merged["bias"]])
        unit = 2.0 if weights.shape[1] > 1 else 1.0  # as in the state
        sqnorm = min(1.0, unit * float(np.square(weights).sum()))
        return {**merged, "updates": mine["updates"] + theirs["updates"], "sqnorm": sqnorm}
