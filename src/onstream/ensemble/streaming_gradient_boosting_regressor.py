"""Gradient boosting of numbers."""

from typing import Any, Unpack

from ..base.checks import flag, whole
from ._boosting import NumberBoostingState
from .base import NumberEnsemble
from .boosting import Boosting, NumberBoostingOptions


class StreamingGradientBoostingRegressor(Boosting, NumberEnsemble):
    """Gradient boosted bagging for streams, SGBR (Gunasekara et al., DMKD 39, 2025).

    A chain of bags of regression trees. Each bag learns what those before it have left of the
    number, and answers with the mean of its trees, of which each learns an example as often as
    Poisson(1) says. A tree whose errors rise gets a rival, which takes its place once it errs less.

    Parameters
    ----------
    n_models : int >= 1, default 10
        Bags in the chain.
    bag_size : int >= 1, default 10
        Trees in a bag; a single one learns every example once.
    learning_rate : float in (0, 1], default 1.0
        Share of a bag's answer that is added. Lower it for longer chains.
    grace_period : float > 0, default 50
        Weight of examples between two attempts to split a leaf.
    delta : float in (0, 1], default 0.01
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    adapt : bool, default True
        Watch the errors of each tree, and replace those that a drift has made worse.

    Examples
    --------
    >>> model = StreamingGradientBoostingRegressor(seed=1)
    >>> for i in range(2000):
    ...     model.learn_one({"x": i % 10, "noise": i % 7}, 5.0 if i % 10 < 4 else -1.0)
    >>> round(model.predict_one({"x": 2, "noise": 0}))
    5
    """

    _leaf_prediction = "adaptive"

    def __init__(
        self,
        *,
        n_models: int = 10,
        bag_size: int = 10,
        learning_rate: float = 1.0,
        grace_period: float = 50,
        delta: float = 0.01,
        adapt: bool = True,
        **common: Unpack[NumberBoostingOptions],
    ) -> None:
        self._set_steps(learning_rate, grace_period, delta)
        self.bag_size = whole(self, "bag_size", bag_size, least=1, most=10_000)
        self.adapt = flag(self, "adapt", adapt)
        super().__init__(n_models=n_models, **common)

    def _new_state(self) -> Any:
        return NumberBoostingState(
            self._chain(-1),
            n_jobs=self.n_jobs,
            max_bytes=self.max_bytes,
            trees=self.n_models * self.bag_size,
        )

    @property
    def _bag(self) -> int:  # type: ignore[override]
        return self.bag_size
