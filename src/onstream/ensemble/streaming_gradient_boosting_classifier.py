"""Gradient boosting of labels."""

from typing import Any, Unpack

from ..base.checks import flag
from ._boosting import LabelBoostingState
from .base import LabelEnsemble
from .boosting import Boosting, LabelBoostingOptions


class StreamingGradientBoostingClassifier(Boosting, LabelEnsemble):
    """Streaming gradient boosted trees, SGBT (Gunasekara et al., Machine Learning 113, 2024).

    A chain of regression trees. Each learns a Newton step of the logistic loss from where the
    trees before it have led to: 1 / p for an example with the label, -1 / (1 - p) for another; a
    share of its answer is added. Two labels need one chain, more need one for each label, against
    all others. A tree whose errors rise gets a rival, which takes its place once it errs less. The
    same in plain Python: tests/oracles/boosting.py.

    Parameters
    ----------
    n_models : int >= 1, default 100
        Trees in a chain.
    learning_rate : float in (0, 1], default 0.0125
        Share of a tree's answer that is added. Raise it for shorter chains.
    grace_period : float > 0, default 25
        Weight of examples between two attempts to split a leaf.
    delta : float in (0, 1], default 0.05
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    adapt : bool, default True
        Watch the errors of each tree, and replace those that a drift has made worse.

    Examples
    --------
    >>> from onstream.streams import SEA, Drift
    >>> X, y = Drift(SEA(1), SEA(3), at=1000).block(2000)
    >>> model = StreamingGradientBoostingClassifier(n_models=20, learning_rate=0.05)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[200:] == y[200:]).mean() > 0.85)
    True
    """

    _leaf_prediction = "mean"

    def __init__(
        self,
        *,
        n_models: int = 100,
        learning_rate: float = 0.0125,
        grace_period: float = 25,
        delta: float = 0.05,
        adapt: bool = True,
        **common: Unpack[LabelBoostingOptions],
    ) -> None:
        self._set_steps(learning_rate, grace_period, delta)
        self.adapt = flag(self, "adapt", adapt)
        super().__init__(n_models=n_models, **common)

    def _new_state(self) -> Any:
        return LabelBoostingState(
            self._chain, n_jobs=self.n_jobs, max_bytes=self.max_bytes, trees=self.n_models
        )
