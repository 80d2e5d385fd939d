"""An ensemble to be looked at: single trees, and how each member votes."""

from typing import Any, NamedTuple

from ..tree.base import Views
from ..tree.view.explanation import Explanation, explain


class MemberTree(Views):
    """A tree of an ensemble as it was when it was asked for; it cannot learn.

    It has the views of every tree: `n_nodes`, `n_leaves`, `depth`, `feature_importances`,
    `to_text`, `to_dot`, `to_svg`, `to_html`.
    """

    def __init__(self, name: str, outline: dict[str, Any]) -> None:
        self._name, self._known = name, outline

    def _outline(self) -> dict[str, Any]:
        return self._known

    def way_of(self, x: Any, prediction: Any) -> Explanation:
        """The way of an example through the tree, which has answered this."""
        return explain(self._root(), x, prediction)

    def __repr__(self) -> str:
        return self._name


class MemberVote(NamedTuple):
    """What one member says of an example."""

    vote: Any  # weight of its vote for each label, or its number; None: it has learned nothing yet
    way: Explanation | None  # through its tree; None: it is no tree, or a chain of several

    def __str__(self) -> str:
        if isinstance(self.vote, dict):
            vote = ", ".join(f"{y}: {v:.2f}" for y, v in self.vote.items() if v > 0) or "no vote"
        else:
            vote = "no number" if self.vote is None else f"{self.vote:.6g}"
        if self.way is None:
            return vote
        return f"{vote} since {' and '.join(self.way.path) or 'it is one leaf'}"


class EnsembleExplanation(NamedTuple):
    """The prediction of an ensemble, and the votes that it comes from, member by member."""

    prediction: Any
    members: list[MemberVote]

    def __str__(self) -> str:
        lines = [f"{i}: {member}" for i, member in enumerate(self.members)]
        return "\n".join([*lines, f"=> {self.prediction!r}"])


def is_tree(model: Any) -> bool:
    """Say whether a member is a tree without steps before it."""
    return hasattr(model.state, "outline") and not model.steps()


def mean_importances(trees: list[MemberTree]) -> dict[Any, float]:
    """The mean of all trees that have split, summing to 1."""
    total: dict[Any, float] = {}
    for tree in trees:
        for feature, share in tree.feature_importances.items():
            total[feature] = total.get(feature, 0.0) + share
    shares = sum(total.values())
    ranked = sorted(total, key=lambda feature: -total[feature])
    return {feature: total[feature] / shares for feature in ranked}
