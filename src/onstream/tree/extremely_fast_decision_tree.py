"""EFDT, the Hoeffding anytime tree."""

from typing import Any, Unpack

from ..base.checks import positive
from ._efdt import EfdtState
from .base import (
    EFDT_OF_BEFORE,
    CountingTree,
    CountingTreeClassifierOptions,
    TreeClassifier,
)


class ExtremelyFastDecisionTree(CountingTree, TreeClassifier):
    """Hoeffding anytime tree, EFDT (Manapragada, Webb and Salehi, KDD 2018).

    A leaf splits as soon as its best feature is surely better than no split at all, much earlier
    than VFDT, which waits until it is better than every other feature. To mend hasty choices, inner
    nodes keep their tables too and are reconsidered after every `reevaluate` examples: a split on
    another feature may replace theirs (what was below is lost), or they become leaves again. Under
    `max_bytes` nodes that lose their tables are not reconsidered.

    Parameters
    ----------
    reevaluate : float > 0, default 2000
        Weight of examples through an inner node after which it is reconsidered. Lower it to mend
        hasty splits sooner, at the price of time.

    Examples
    --------
    >>> model = ExtremelyFastDecisionTree()
    >>> for i in range(200):
    ...     model.learn_one({"a": i % 2, "same": i % 2}, i % 2 == 1)
    >>> model.n_leaves  # VFDT needs 3400 examples to choose between equals
    2
    """

    _added_parameters = EFDT_OF_BEFORE

    def __init__(
        self, *, reevaluate: float = 2000, **common: Unpack[CountingTreeClassifierOptions]
    ) -> None:
        self.reevaluate = positive(self, "reevaluate", reevaluate)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return EfdtState(**self._common(), reevaluate=self.reevaluate)


EFDT = ExtremelyFastDecisionTree
