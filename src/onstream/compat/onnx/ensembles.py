"""Ensembles: the weighted sum of the members' votes, or the mean or median of their numbers.

A member is written as a learner that stands alone, so all that has an ONNX form can be one.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...ensemble import (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    DriftRetraining,
    DriftRetrainingRegressor,
    LeveragingBagging,
    OnlineBagging,
    OnlineBaggingRegressor,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
    StreamingRandomPatchesClassifier,
)
from ...ensemble.base import Wrapped, is_probabilistic
from ...tree import HoeffdingTreeClassifier, HoeffdingTreeRegressor
from ...tree._hoeffding import HoeffdingState
from . import boosting, readings
from .columns import Columns
from .graph import Graph

# Named one by one: another kind may weigh or add the answers of its members in another way.
KINDS = (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    StreamingRandomPatchesClassifier,
    DriftRetraining,
    DriftRetrainingRegressor,
    LeveragingBagging,
    OnlineBagging,
    OnlineBaggingRegressor,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)


class Voter(NamedTuple):
    """A member that has learned something."""

    learner: Any  # as if it stood alone, a pipeline too
    fields: dict[str, Any] | None  # its exported state, where the learner does not hold it
    weight: float  # of its vote
    splits: bool  # it has probabilities; otherwise it votes for one label
    met: Any = None  # the features that it reads in its own way: `readings`


Answer = Callable[[Voter], str]


def voters(ensemble: Any, fields: dict[str, Any], columns: Columns) -> Iterator[Voter]:
    """The members, but for those that have learned nothing, which have no vote."""
    own = ("members", "seen", "start", "steps")
    names = {name: value for name, value in fields.items() if name not in own}
    for i in range(len(fields["members"])):
        kept = fields["members"][str(i)]
        if not kept["model"]["seen"]:
            continue
        if isinstance(ensemble, Wrapped):
            yield alone(
                ensemble._learners[i % len(ensemble._learners)], names, kept["model"], columns
            )
            continue
        if isinstance(ensemble, AdaptiveRandomForestRegressor):
            yield Voter(FOREST_REGRESSOR, {**names, **kept["model"]}, 1.0, False)
            continue
        # As `HoeffdingState` tells it: which features a leaf does not watch is told there, too.
        tree = HoeffdingState.export_own(ensemble._members()[i].models()[0].state)
        tested, right = kept["numbers"].tolist()
        yield Voter(FOREST_TREE, {**names, **tree}, right / tested if tested else 1.0, True)


# What the trees of forests are: see their `_maker`.
FOREST_TREE = HoeffdingTreeClassifier(leaf_prediction="nba", variance_floor=0.0, ties="first")
FOREST_REGRESSOR = HoeffdingTreeRegressor(leaf_prediction="adaptive")


def alone(template: Any, names: dict[str, Any], learned: dict[str, Any], columns: Columns) -> Voter:
    """A member that the user gave, with what it has learned."""
    made = template.clone()
    met = learned.get("reading", {}).get("met")  # of a step that reads in the member's way
    learned = {name: value for name, value in learned.items() if name != "reading"}
    if met is not None:
        names = {name: value for name, value in names.items() if not name.startswith("nominal")}
        own = readings.read_columns(met, columns)[0].features
        names |= {"features": own, "implicit": 0, "columns": -1}
    made._restore({**names, **learned})
    return Voter(made, None, 1.0, is_probabilistic(made), met)


def votes(
    graph: Graph,
    X: str,
    ensemble: Any,
    fields: dict[str, Any],
    columns: Columns,
    answer: Answer,
) -> str:
    """Sum of the votes for each label, shape (rows, k); `answer` gives one's vote."""
    if isinstance(ensemble, StreamingGradientBoostingClassifier):
        return boosting.votes(graph, X, ensemble, fields, columns)
    total = graph.zeros(X, len(columns.features), len(fields["labels"]))
    for at, voter in enumerate(voters(ensemble, fields, columns)):
        vote = answer(voter)
        if voter.weight != 1.0:
            vote = graph.op("Mul", vote, graph.constant(voter.weight, np.float64))
        total = vote if at == 0 else graph.op("Add", total, vote)
    return total


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


def predictions(
    graph: Graph,
    X: str,
    ensemble: Any,
    fields: dict[str, Any],
    columns: Columns,
    answer: Answer,
) -> str:
    """Mean or median of the members' numbers, shape (rows, 1)."""
    if isinstance(ensemble, StreamingGradientBoostingRegressor):
        return boosting.chain_sum(graph, X, ensemble, fields["members"]["0"], columns)
    found = [answer(voter) for voter in voters(ensemble, fields, columns)]
    if not found:
        return graph.zeros(X, len(columns.features), 1)
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
