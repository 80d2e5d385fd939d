"""Gradient boosting: chains of regression trees, whose answers are added (ensemble/_chain.pyx)."""

from typing import Any

import numpy as np

from ...tree import HoeffdingTreeRegressor
from . import trees
from .columns import Columns
from .graph import Graph

MOST_ODDS = 30.0  # as in ensemble/_chain.pyx


def votes(graph: Graph, X: str, model: Any, fields: dict[str, Any], columns: Columns) -> str:
    """The vote of each label's chain, shape (rows, labels); of two labels one chain tells."""
    labels, chains = fields["labels"], fields["members"]
    found = [chance(graph, X, model, chains[str(c)], columns) for c in range(len(chains))]
    if len(labels) > 2:
        return graph.op("Concat", *found, axis=1)
    other = graph.op("Sub", graph.constant(1.0, np.float64), found[0])
    return graph.op("Concat", found[0], other, axis=1)


def chance(graph: Graph, X: str, model: Any, chain: dict[str, Any], columns: Columns) -> str:
    """The probability of a chain's label, shape (rows, 1)."""
    odds = chain_sum(graph, X, model, chain, columns)
    most = graph.constant(MOST_ODDS, np.float64)
    least = graph.constant(-MOST_ODDS, np.float64)
    return graph.op("Sigmoid", graph.op("Max", graph.op("Min", odds, most), least))


def chain_sum(graph: Graph, X: str, model: Any, chain: dict[str, Any], columns: Columns) -> str:
    """What all stages of a chain say together, shape (rows, 1): each the mean of its bag."""
    tree = HoeffdingTreeRegressor(leaf_prediction=model._leaf_prediction)
    bag = len(chain["trees"]) // model.n_models
    rate = graph.constant(model.learning_rate, np.float64)
    size = graph.constant(float(bag), np.float64)
    total = graph.zeros(X, len(columns.features), 1)
    for stage in range(model.n_models):
        answers = ""
        for i in range(stage * bag, (stage + 1) * bag):
            learned = chain["trees"][str(i)]["model"]
            if learned["seen"]:  # one that has not says 0
                answer = trees.predictions(graph, X, tree, learned, columns)
                answers = graph.op("Add", answers, answer) if answers else answer
        if answers:
            share = graph.op("Mul", rate, graph.op("Div", answers, size))
            total = graph.op("Add", total, share)
    return total
