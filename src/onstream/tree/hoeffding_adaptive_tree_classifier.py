"""HAT, the Hoeffding tree that follows drift."""

from typing import Any, Unpack

import numpy as np

from ..base.checks import number
from ._hat import HatState
from .base import (
    HAT_OF_BEFORE,
    AdaptingTree,
    CountingTree,
    CountingTreeClassifierOptions,
    TreeClassifier,
)
from .batch_tree import BatchTree


class HoeffdingAdaptiveTreeClassifier(CountingTree, AdaptingTree, TreeClassifier):
    """Hoeffding adaptive tree, HAT (Bifet and Gavaldà, IDA 2009).

    A Hoeffding tree whose every node watches the error of the subtree below it through an ADWIN
    window. Where the error rises, an alternate tree starts as an empty leaf and learns along; it
    takes the node's place as soon as it is better by more than chance, and is given up when it is
    worse. Without drift it is the `HoeffdingTreeClassifier`. Unlike MOA and River, an alternate
    never takes over by splitting, and errors are those made before learning. Under `max_bytes` the
    windows hold at most 1275 errors each, and a quarter of the nodes' part is kept for alternates.

    Parameters
    ----------
    drift_delta : float in (0, 1), default 0.002
        Confidence of the ADWIN windows. Raise it to suspect drift earlier, and more often in vain.
    init : HoeffdingAdaptiveTreeClassifier, BatchTree or None, default None
        Start from what this tree has learned.

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

    _added_parameters = HAT_OF_BEFORE

    def __init__(
        self,
        *,
        drift_delta: float = 0.002,
        **common: Unpack[CountingTreeClassifierOptions],
    ) -> None:
        self.drift_delta = number(self, "drift_delta", drift_delta, above=0.0, most=1.0 - 1e-9)
        super().__init__(**common)

    def _start_from(self, init: Any = None) -> None:
        super()._start_from(with_windows(init) if isinstance(init, BatchTree) else init)

    def _new_state(self) -> Any:
        return HatState(**self._common(), drift_delta=self.drift_delta)


def with_windows(tree: BatchTree) -> dict[str, Any]:
    """A batch tree's state, with an empty window at every node."""
    fields = tree._model.snapshot()
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


HAT = HoeffdingAdaptiveTreeClassifier
