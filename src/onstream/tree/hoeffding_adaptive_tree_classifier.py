"""HAT, the Hoeffding tree that follows drift."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..base.checks import number
from ..base.types import Label
from ._hat import AdaptiveState
from .base import TreeClassifier
from .batch_tree import BatchTree


class HoeffdingAdaptiveTreeClassifier(TreeClassifier):
    """Hoeffding adaptive tree, HAT (Bifet and Gavaldà, IDA 2009).

    A Hoeffding tree whose every node watches the error of the subtree below it through an ADWIN
    window. Where the error rises, an alternate tree starts as an empty leaf and learns along; it
    takes the node's place as soon as it is better by more than chance, and is given up when it is
    worse. Without drift it is the `HoeffdingTreeClassifier`. Unlike MOA and River, an alternate
    never takes over by splitting, and errors are those made before learning.

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
    seed_children : bool, default False
        New leaves begin with the counts that their split promises them, as in MOA, instead of
        answering with their parent's majority at first.
    drift_delta : float in (0, 1), default 0.002
        Confidence of the ADWIN windows. Raise it to suspect drift earlier, and more often in vain.
    nominal : list or None, default None
        Features whose numbers are names of categories (codes, weekdays): one branch per value
        instead of cuts. Text always is.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : HoeffdingAdaptiveTreeClassifier, BatchTree or None, default None
        Start from what this tree has learned.
    reset_schedule : bool, default False
        Nothing here depends on it; every learner has it.

    Examples
    --------
    >>> model = HoeffdingAdaptiveTreeClassifier()
    >>> for i in range(8000):
    ...     x = {"a": i % 2, "b": i % 3}
    ...     model.learn_one(x, x["a"] == 1 if i < 4000 else x["b"] == 1)
    >>> model.predict_one({"a": 0, "b": 1})
    True
    >>> model.n_switches > 0
    True
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
        seed_children: bool = False,
        drift_delta: float = 0.002,
        nominal: list[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_tree(delta, grace_period, tau, criterion, leaf_prediction)
        self.max_depth = self._check_depth(max_depth)
        self.seed_children = self._flag("seed_children", seed_children)
        self.drift_delta = number(self, "drift_delta", drift_delta, above=0.0, most=1.0 - 1e-9)
        self.nominal = self._check_nominal(nominal)
        self._start(labels, max_labels, init, reset_schedule)

    def _from_batch(self, init: Any) -> Any:
        if not isinstance(init, BatchTree):
            return init
        fields = init._model.snapshot()
        n = len(fields["nodes"])
        return {
            **fields,
            "alternate_of": np.zeros(0, dtype=np.int64),
            "windows": np.zeros((n, 2), dtype=np.int64),
            "window_sums": np.zeros((n, 2)),
            "window_counts": np.zeros(0),
            "window_buckets": np.zeros((0, 5, 2)),
            "alternates": np.zeros(3, dtype=np.int64),
        }

    def _new_state(self) -> AdaptiveState:
        params = {
            name: getattr(self, name)
            for name in (
                "delta", "grace_period", "tau", "criterion", "leaf_prediction", "max_depth",
                "seed_children", "drift_delta", "nominal",
            )
        }  # fmt: skip
        return AdaptiveState(params)

    @property
    def n_alternates(self) -> int:
        """Alternate trees ever started."""
        return int(self._model.readable_state().started)

    @property
    def n_switches(self) -> int:
        """Alternate trees that took over."""
        return int(self._model.readable_state().switched)


HAT = HoeffdingAdaptiveTreeClassifier
