"""CVFDT, the tree of a sliding window."""

from typing import Any, Unpack

from ..base.checks import whole
from ._cvfdt import CvfdtState
from .base import (
    CVFDT_OF_BEFORE,
    AdaptingTree,
    LabelTreeOptions,
    TreeClassifier,
)


class CVFDT(AdaptingTree, TreeClassifier):
    """Concept-adapting very fast decision tree (Hulten, Spencer and Domingos, KDD 2001).

    A VFDT of the last `window` examples: every node keeps its tables, and an example that leaves
    the window is taken back from all nodes that counted it. Where another split has become the
    better one, an alternate tree grows beside the node and takes its place once it errs less in a
    test. Numbers are forgotten from their Gaussians; their minima and maxima are those seen since
    the node was made. Under `max_bytes` the window takes at most a third of it and may be
    shorter than `window`, and nodes that lose their tables never get them back.

    Parameters
    ----------
    window : int >= 1, default 100_000
        Examples that count. Shorten it for quick drift; a node can break ties only if its share of
        the window reaches ln(1 / delta) R**2 / (2 tau**2) examples.
    check_every : int >= 1, default 20_000
        Examples between two checks of every split of the tree.
    test_every : int >= 1, default 10_000
        Examples through a node between two tests of its alternate trees.
    test_length : int >= 1, default 200
        Examples of such a test.

    Examples
    --------
    >>> model = CVFDT(window=1000)
    >>> for i in range(3000):
    ...     model.learn_one({"a": i % 2, "b": i % 3}, i % 2 == 1)
    >>> model.predict_one({"a": 1, "b": 0})
    True
    """

    _added_parameters = CVFDT_OF_BEFORE

    def __init__(
        self,
        *,
        delta: float = 1e-4,
        grace_period: float = 300,
        window: int = 100_000,
        check_every: int = 20_000,
        test_every: int = 10_000,
        test_length: int = 200,
        **common: Unpack[LabelTreeOptions],
    ) -> None:
        self.window = whole(self, "window", window, least=1, most=2**40)
        self.check_every = whole(self, "check_every", check_every, least=1, most=2**62)
        self.test_every = whole(self, "test_every", test_every, least=1, most=2**62)
        self.test_length = whole(self, "test_length", test_length, least=1, most=2**40)
        super().__init__(delta=delta, grace_period=grace_period, **common)

    def _new_state(self) -> Any:
        return CvfdtState(
            **self._common(), window=self.window, check_every=self.check_every,
            test_every=self.test_every, test_length=self.test_length,
        )  # fmt: skip
