"""The face of every tree: its common parameters, and ways to look at it."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import choice, flag, number, positive, whole
from ..base.errors import NotMergeable
from ..base.kinds import Label
from ..base.learner import Learner, ProbabilisticClassifier


class Tree(Learner):
    """What can be seen of any tree."""

    _state: Any

    @property
    def n_nodes(self) -> int:
        """How many nodes there are; 1, an empty leaf, before any example."""
        return max(1, len(self._state.outline()["nodes"]))

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return max(1, int((self._state.outline()["nodes"][:, 0] < 0).sum()))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree that is one leaf."""
        return max(depths(self._state.outline()["nodes"]), default=0)

    def merge(self, other: Learner) -> None:
        """Trees cannot be merged: two trees ask different questions at different nodes."""
        raise NotMergeable(
            f"{type(self).__name__}: trees cannot be merged: two of them ask different questions, "
            f"and what their leaves have counted does not say how the other tree would have "
            f"sorted it. Let an ensemble vote instead."
        )


def depths(nodes: NDArray[np.int64]) -> list[int]:
    """Depth of every node of an outline."""
    found, waiting = [], [0]
    for feature, children in nodes[:, :2].tolist():
        depth = waiting.pop()
        found.append(depth)
        if feature >= 0:
            waiting.extend([depth + 1] * children)
    return found


class TreeClassifier(Tree, ProbabilisticClassifier):
    """What all classification trees share."""

    delta: float
    grace_period: float
    tau: float
    criterion: str
    leaf_prediction: str
    max_labels: int

    def _check_tree(
        self, delta: float, grace_period: float, tau: float, criterion: str, leaf_prediction: str
    ) -> None:
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        self.grace_period = positive(self, "grace_period", grace_period)
        self.tau = number(self, "tau", tau, least=0.0)
        self.criterion = choice(self, "criterion", criterion, ("info_gain", "gini"))
        self.leaf_prediction = choice(self, "leaf_prediction", leaf_prediction, ("nba", "nb", "mc"))

    def _check_depth(self, max_depth: int | None) -> int | None:
        return None if max_depth is None else whole(self, "max_depth", max_depth, least=1)

    def _check_nominal(self, nominal: Any) -> list[str | int] | None:
        if nominal is None:
            return None
        if isinstance(nominal, (str, bytes)) or not hasattr(nominal, "__iter__"):
            raise TypeError(
                f"{type(self).__name__}: nominal must be a list of features, got {nominal!r:.80}."
            )
        names = list(nominal)
        for name in names:
            if isinstance(name, bool) or not isinstance(name, (str, int)):
                raise TypeError(
                    f"{type(self).__name__}: nominal must name features, got {name!r:.80}."
                )
        return names

    def _start(
        self, labels: Iterable[Label] | None, max_labels: int, init: Any, reset_schedule: bool
    ) -> None:
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)
        self._begin(labels, init, reset_schedule)

    def _flag(self, name: str, value: bool) -> bool:
        return flag(self, name, value)
