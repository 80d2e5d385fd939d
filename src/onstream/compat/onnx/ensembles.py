"""Ensembles: the weighted sum of the members' votes, or the mean or median of their numbers.

A member is written as a learner that stands alone, so all that has an ONNX form can be one.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...ensemble import (
    AdaptiveRandomForestClassifier,
    DriftRetraining,
    DriftRetrainingRegressor,
    LeveragingBagging,
    OnlineBagging,
    OnlineBaggingRegressor,
    StreamingRandomPatchesClassifier,
)
from ...ensemble.base import Wrapped, is_probabilistic
from ...tree import HoeffdingTreeClassifier
from ...tree._hoeffding import HoeffdingState
from .graph import DOUBLE, Graph

# Named one by one: another kind may weigh or add the answers of its members in another way.
FORESTS = (AdaptiveRandomForestClassifier, StreamingRandomPatchesClassifier)
KINDS = (
    *FORESTS,
    DriftRetraining,
    DriftRetrainingRegressor,
    LeveragingBagging,
    OnlineBagging,
    OnlineBaggingRegressor,
)


class Voter(NamedTuple):
    """A member that has learned something."""

    learner: Any  # as if it stood alone, a pipeline too
    fields: dict[str, Any] | None  # its exported state, where the learner does not hold it
    weight: float  # of its vote
    splits: bool  # it has probabilities; otherwise it votes for one label


Answer = Callable[[Voter], str]


def voters(ensemble: Any, fields: dict[str, Any]) -> Iterator[Voter]:
    """The members, but for those that have learned nothing, which have no vote."""
    own = ("members", "seen", "start", "steps")
    names = {name: value for name, value in fields.items() if name not in own}
    for i in range(len(fields["members"])):
        kept = fields["members"][str(i)]
        if not kept["model"]["seen"]:
            continue
        if isinstance(ensemble, Wrapped):
            made = ensemble._given[i % len(ensemble._given)].clone()
            made._restore({**names, **kept["model"]})
            yield Voter(made, None, 1.0, is_probabilistic(made))
            continue
        # As `HoeffdingState` tells it: which features a leaf does not watch is told there, too.
        tree = HoeffdingState.export_own(ensemble._members()[i].models()[0].state)
        tested, right = kept["numbers"].tolist()
        yield Voter(FOREST_TREE, {**names, **tree}, right / tested if tested else 1.0, True)


# What its trees are: see `LabelForest._maker`.
FOREST_TREE = HoeffdingTreeClassifier(leaf_prediction="nba", variance_floor=0.0, ties="first")


def votes(graph: Graph, X: str, ensemble: Any, fields: dict[str, Any], answer: Answer) -> str:
    """Sum of the votes for each label, shape (rows, k); `answer` gives one's vote."""
    labels = fields["labels"]
    total = nothing(graph, X, len(fields["features"]) + fields["implicit"], len(labels))
    for at, voter in enumerate(voters(ensemble, fields)):
        vote = answer(voter)
        if voter.weight != 1.0:
            vote = graph.op("Mul", vote, graph.constant(voter.weight, np.float64))
        total = vote if at == 0 else graph.op("Add", total, vote)
    return total


def nothing(graph: Graph, X: str, width: int, k: int) -> str:
    """Zeros, shape (rows, k)."""
    there = graph.op("Cast", graph.op("Greater", X, X), to=DOUBLE)  # 0, of NaN too
    return graph.op("MatMul", there, graph.constant(np.zeros((width, k))))


def shares(graph: Graph, total: str, k: int) -> str:
    """Votes as probabilities; all the same where there is no vote."""
    return of_all(graph, total, total, 1.0 / k)


def lead(graph: Graph, total: str, sign: float) -> str:
    """How much likelier of two labels the one coded +1 is, shape (rows, 1)."""
    ahead = graph.op("MatMul", total, graph.constant([[sign], [-sign]], np.float64))
    return of_all(graph, total, ahead, 0.0)


def of_all(graph: Graph, total: str, part: str, empty: float) -> str:
    """A part of the votes as a share of all; `empty` where there is none."""
    votes = graph.op("ReduceSum", total, graph.constant([1], np.int64), keepdims=1)
    some = graph.op("Greater", votes, graph.constant(0.0, np.float64))
    safe = graph.op("Where", some, votes, graph.constant(1.0, np.float64))
    share = graph.op("Div", part, safe)
    return graph.op("Where", some, share, graph.constant(empty, np.float64))


def predictions(graph: Graph, X: str, ensemble: Any, fields: dict[str, Any], answer: Answer) -> str:
    """Mean or median of the members' numbers, shape (rows, 1)."""
    found = [answer(voter) for voter in voters(ensemble, fields)]
    if not found:
        return nothing(graph, X, len(fields["features"]) + fields["implicit"], 1)
    if len(found) == 1:
        return found[0]
    if getattr(ensemble, "aggregation", "mean") == "median":
        return median(graph, found)
    total = found[0]
    for more in found[1:]:
        total = graph.op("Add", total, more)
    return graph.op("Div", total, graph.constant(float(len(found)), np.float64))


def median(graph: Graph, found: list[str]) -> str:
    """The middle one of each row, or the mean of the two in the middle."""
    n = len(found)
    together = graph.op("Concat", *found, axis=1)
    ordered = graph.op("TopK", together, graph.constant([n], np.int64), outputs=2, largest=0)
    middle = graph.constant(sorted({(n - 1) // 2, n // 2}), np.int64)
    return graph.op("ReduceMean", graph.op("Gather", ordered, middle, axis=1), axes=[1])
