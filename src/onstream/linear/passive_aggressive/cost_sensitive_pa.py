"""Cost-sensitive passive-aggressive classification: some mistakes are worse than others."""

from collections.abc import Callable
from typing import Any, Unpack

from ...base.checks import choice
from ...base.passive_aggressive import PassiveAggressive
from ..base import LinearClassifier
from ..user_functions import check_function
from ._pa import CostState
from .base import MODES, Mode, PAClassifierOptions


class CostSensitivePA(PassiveAggressive, LinearClassifier):
    """Cost-sensitive passive-aggressive classifier (Crammer et al., JMLR 7, 2006, section 8).

    The margin over a wrong label r must be the root of cost(y, r): dear mistakes are kept further
    away. The costs of all that it predicts never add up to more than its squared losses.

    Parameters
    ----------
    cost : function of two labels or None, default None
        cost(y, r) >= 0: the price of saying r where y is true. None: 1 for every mistake. It is
        asked once for every pair of labels.
    mode : {"prediction", "max-loss"}, default "prediction"
        Which wrong label an update moves: the one that was predicted (nothing is learned where
        that is right), or the one with the largest loss.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted. With a
        `cost`, memory grows with the square of their number.

    Examples
    --------
    >>> model = CostSensitivePA(cost=lambda y, r: 4.0 if y == "ill" else 1.0, mode="max-loss",
    ...                         variant="PA", intercept=False, labels=["ill", "well"])
    >>> model.learn_one({"cough": 1}, "ill")
    >>> model.score_one({"cough": 1})  # a margin of 2, since missing it would cost 4
    -2.0
    """

    def __init__(
        self,
        *,
        cost: Callable[[Any, Any], float] | None = None,
        mode: Mode = "prediction",
        **common: Unpack[PAClassifierOptions],
    ) -> None:
        self.cost = None if cost is None else check_function(self, "cost", cost, 2)
        self.mode = choice(self, "mode", mode, MODES)
        super().__init__(**common)

    def _new_state(self) -> Any:
        max_loss = self.mode == "max-loss"
        return CostState(self.intercept, self.variant, self.C, self.cost, max_loss)
