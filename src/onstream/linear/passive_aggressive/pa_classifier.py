"""Passive-aggressive classification, in its three variants."""

from typing import Any, Literal, Unpack

from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearClassifier, Scaled, ScaleOptions
from ._pa import PAState
from .base import PAClassifierOptions


class PAClassifier(PassiveAggressive, Scaled, LinearClassifier):
    """Passive-aggressive classifier (Crammer et al., JMLR 7, 2006).

    Passive while the margin is at least 1; otherwise it makes the smallest change of the weights
    that restores it. With more than two labels the margin is that of the true label over the
    best-scored wrong one. The same in plain NumPy: tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy. With scale="auto" 0.05 is
        a good start, and 1.0 follows fast changes.
    scale : {"auto", None}, default None
        "auto" scales every feature by what was seen of it (unless features are hashed, or a scaler
        stands before), so that raw columns of any size work; `weights` and `bias` are those of the
        features as they came. None learns from the features as they are, by the rule of the paper.

    Examples
    --------
    >>> model = PAClassifier(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(
        self,
        *,
        scale: Literal["auto"] | None = None,
        **common: Unpack[PAClassifierOptions],
    ) -> None:
        options: ScaleOptions = {"scale": scale}
        super().__init__(**options, **common)

    def _new_state(self) -> Any:
        return PAState(self.intercept, self.variant, self.C)
