"""EFDT, the Hoeffding anytime tree."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import positive
from ..base.types import Label
from ._efdt import ExtremelyFastState
from .base import TreeClassifier


class ExtremelyFastDecisionTree(TreeClassifier):
    """Hoeffding anytime tree, EFDT (Manapragada, Webb and Salehi, KDD 2018).

    A leaf splits as soon as its best feature is surely better than no split at all, much earlier
    than VFDT, which waits until it is better than every other feature. To mend hasty choices, inner
    nodes keep their tables too and think again after every `reevaluate` examples: another feature
    may replace the question (what was below is lost), or the node becomes a leaf again.

    Parameters
    ----------
    delta : float in (0, 1], default 1e-7
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    grace_period : float > 0, default 200
        Weight of examples between two attempts to split a leaf. Lower it to split a little
        earlier, raise it for speed.
    tau : float >= 0, default 0.05
        Break ties when the bound falls below. 0 waits for a clear winner, maybe for ever.
    criterion : {"info_gain", "gini"}, default "info_gain"
        What a split should reduce: entropy or the Gini index.
    leaf_prediction : {"nba", "nb", "mc"}, default "nba"
        What a leaf answers: naive Bayes ("nb"), its majority ("mc"), or whichever of the two was
        right more often at this leaf.
    max_depth : int >= 1 or None, default None
        Deepest leaf; the root alone has depth 0. Lower it for a tree that people can read.
    reevaluate : float > 0, default 2000
        Weight of examples through an inner node after which it thinks again. Lower it to mend
        hasty splits sooner, at the price of time.
    nominal : list or None, default None
        Features whose numbers are names of categories (codes, weekdays): one branch per value
        instead of cuts. Text always is.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : ExtremelyFastDecisionTree or None, default None
        Start from what this tree has learned.
    reset_schedule : bool, default False
        Nothing here depends on it; every learner has it.

    Examples
    --------
    >>> model = ExtremelyFastDecisionTree()
    >>> for i in range(200):
    ...     model.learn_one({"a": i % 2, "same": i % 2}, i % 2 == 1)
    >>> model.n_leaves  # VFDT needs 3400 examples to choose between equals
    2
    """

    def __init__(
        self,
        *,
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        criterion: str = "info_gain",
        leaf_prediction: str = "nba",
        max_depth: int | None = None,
        reevaluate: float = 2000,
        nominal: list[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_tree(delta, grace_period, tau, criterion, leaf_prediction)
        self.max_depth = self._check_depth(max_depth)
        self.reevaluate = positive(self, "reevaluate", reevaluate)
        self.nominal = self._check_nominal(nominal)
        self._start(labels, max_labels, init, reset_schedule)

    def _new_state(self) -> ExtremelyFastState:
        params = {
            name: getattr(self, name)
            for name in (
                "delta", "grace_period", "tau", "criterion", "leaf_prediction", "max_depth",
                "reevaluate", "nominal",
            )
        }  # fmt: skip
        return ExtremelyFastState(params)


EFDT = ExtremelyFastDecisionTree
