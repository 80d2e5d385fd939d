"""CVFDT, the tree of a sliding window."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import whole
from ..base.types import Label
from ._cvfdt import ConceptAdaptingState
from .base import TreeClassifier


class CVFDT(TreeClassifier):
    """Concept-adapting very fast decision tree (Hulten, Spencer and Domingos, KDD 2001).

    A VFDT of the last `window` examples: every node keeps its tables, and an example that leaves
    the window is taken back from all nodes that counted it. Where another question has become the
    better one, an alternate tree grows beside the node and takes its place once it errs less in a
    test. Numbers are forgotten from their Gaussians; their minima and maxima are those seen since
    the node was made.

    Parameters
    ----------
    delta : float in (0, 1], default 1e-4
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    grace_period : float > 0, default 300
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
    window : int >= 1, default 100_000
        Examples that count. Shorten it for quick drift; a node can break ties only if its share of
        the window reaches ln(1 / delta) R**2 / (2 tau**2) examples.
    check_every : int >= 1, default 20_000
        Examples between two checks of every question of the tree.
    test_every : int >= 1, default 10_000
        Examples through a node between two tests of its alternate trees.
    test_length : int >= 1, default 200
        Examples of such a test.
    nominal : list or None, default None
        Features whose numbers are names of categories (codes, weekdays): one branch per value
        instead of cuts. Text always is.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : CVFDT or None, default None
        Start from what this tree has learned.
    reset_schedule : bool, default False
        Nothing here depends on it; every learner has it.

    Examples
    --------
    >>> model = CVFDT(window=1000)
    >>> for i in range(3000):
    ...     model.learn_one({"a": i % 2, "b": i % 3}, i % 2 == 1)
    >>> model.predict_one({"a": 1, "b": 0})
    True
    """

    def __init__(
        self,
        *,
        delta: float = 1e-4,
        grace_period: float = 300,
        tau: float = 0.05,
        criterion: str = "info_gain",
        leaf_prediction: str = "nba",
        max_depth: int | None = None,
        window: int = 100_000,
        check_every: int = 20_000,
        test_every: int = 10_000,
        test_length: int = 200,
        nominal: list[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_tree(delta, grace_period, tau, criterion, leaf_prediction)
        self.max_depth = self._check_depth(max_depth)
        self.window = whole(self, "window", window, least=1, most=2**40)
        self.check_every = whole(self, "check_every", check_every, least=1, most=2**62)
        self.test_every = whole(self, "test_every", test_every, least=1, most=2**62)
        self.test_length = whole(self, "test_length", test_length, least=1, most=2**40)
        self.nominal = self._check_nominal(nominal)
        self._start(labels, max_labels, init, reset_schedule)

    def _new_state(self) -> ConceptAdaptingState:
        params = {
            name: getattr(self, name)
            for name in (
                "delta", "grace_period", "tau", "criterion", "leaf_prediction", "max_depth",
                "window", "check_every", "test_every", "test_length", "nominal",
            )
        }  # fmt: skip
        return ConceptAdaptingState(params)

    @property
    def n_alternates(self) -> int:
        """Alternate trees ever started."""
        return int(self._model.readable_state().started)

    @property
    def n_switches(self) -> int:
        """Alternate trees that took over."""
        return int(self._model.readable_state().switched)
