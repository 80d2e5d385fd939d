"""VFDT, the Hoeffding tree."""

from typing import Any, Unpack

from ..base.checks import flag
from ._hoeffding import HoeffdingState
from .base import (
    GROWING_TREES_OF_BEFORE,
    HoeffdingTree,
    TreeClassifier,
    TreeClassifierOptions,
)
from .batch_tree import BatchTree


class HoeffdingTreeClassifier(HoeffdingTree, TreeClassifier):
    """Hoeffding tree, VFDT (Domingos and Hulten, KDD 2000).

    An example goes to a leaf, which counts it. After every `grace_period` examples the leaf
    compares its two best splits: if the better one leads by Hoeffding's bound (or if they are so
    alike that it does not matter) the leaf becomes an inner node with empty leaves below it. So
    the tree is, with probability 1 - delta per choice, the one that all data would have given, and
    it never keeps an example. The same in plain Python: tests/oracles/hoeffding_tree.py.

    Text is nominal; numbers are modelled per label by a Gaussian, of
    which ten cuts are tried. A missing value takes the heaviest branch. As in MOA and River, a
    split needs two branches with more than 1 % of the weight each.

    Parameters
    ----------
    seed_children : bool, default False
        New leaves begin with the counts that their split promises them, as in MOA, instead of
        answering with their parent's majority at first.
    init : HoeffdingTreeClassifier, BatchTree or None, default None
        Start from what this tree has learned.

    Examples
    --------
    >>> model = HoeffdingTreeClassifier(grace_period=50)
    >>> for i in range(1000):
    ...     model.learn_one({"size": i % 10, "noise": i % 7}, "small" if i % 10 < 4 else "large")
    >>> model.predict_one({"size": 2})
    'small'
    >>> model.n_leaves
    2
    """

    _added_parameters = GROWING_TREES_OF_BEFORE

    def __init__(
        self,
        *,
        seed_children: bool = False,
        **common: Unpack[TreeClassifierOptions],
    ) -> None:
        self.seed_children = flag(self, "seed_children", seed_children)
        super().__init__(**common)

    def _start_from(self, init: Any = None) -> None:
        super()._start_from(init._model.snapshot() if isinstance(init, BatchTree) else init)

    def _new_state(self) -> Any:
        return HoeffdingState(**self._common(), seed_children=self.seed_children)


VFDT = HoeffdingTreeClassifier
