"""VFDT, the Hoeffding tree."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import whole
from ..base.types import Label
from ._hoeffding import HoeffdingState
from .base import TreeClassifier
from .batch_tree import BatchTree


class HoeffdingTreeClassifier(TreeClassifier):
    """Hoeffding tree, VFDT (Domingos and Hulten, KDD 2000).

    An example goes to a leaf, which counts it. After every `grace_period` examples the leaf
    compares its two best splits: if the better one leads by Hoeffding's bound (or if they are so
    alike that it does not matter) the leaf becomes a question with empty leaves below it. So the
    tree is, with probability 1 - delta per choice, the one that all data would have given, and it
    never keeps an example.

    Text is nominal (one branch per value); numbers are seen per label as a Gaussian, of which
    ten cuts are tried. A missing value takes the heaviest branch. As in MOA and River, a split
    needs two branches with more than 1 % of the weight each.

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
    max_bytes : int >= 10_000 or None, default None
        Most memory of the model. When it is short, the leaves where a split promises least lose
        their tables (they go on counting labels) until their promise rises, and features that
        trail the best one of their leaf by Hoeffding's bound are dropped there. Features and
        nominal values take at most half of it: those that come later are as if absent. (Columns
        of arrays are always known; beside them names take at most an eighth.) Nodes take at most
        the rest: then nothing is split any more, and a value without a branch goes where most
        examples went. A label that there is no room for is refused.
    nominal : list or None, default None
        Features whose numbers are names of categories (codes, weekdays): one branch per value
        instead of cuts. Text always is.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : HoeffdingTreeClassifier, BatchTree or None, default None
        Start from what this tree has learned.
    reset_schedule : bool, default False
        Nothing here depends on it; every learner has it.

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
        max_bytes: int | None = None,
        nominal: list[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_tree(delta, grace_period, tau, criterion, leaf_prediction)
        self.max_depth = self._check_depth(max_depth)
        self.seed_children = self._flag("seed_children", seed_children)
        self.max_bytes = None
        if max_bytes is not None:
            self.max_bytes = whole(self, "max_bytes", max_bytes, least=10_000, most=2**60)
        self.nominal = self._check_nominal(nominal)
        self._start(labels, max_labels, init, reset_schedule)
        if labels is not None:
            self._model.state.check_labels(len(self.labels))

    def _from_batch(self, init: Any) -> Any:
        return init._model.snapshot() if isinstance(init, BatchTree) else init

    def _new_state(self) -> HoeffdingState:
        params = {
            name: getattr(self, name)
            for name in (
                "delta", "grace_period", "tau", "criterion", "leaf_prediction", "max_depth",
                "seed_children", "max_bytes", "nominal",
            )
        }  # fmt: skip
        return HoeffdingState(params)


VFDT = HoeffdingTreeClassifier
