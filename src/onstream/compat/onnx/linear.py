"""Linear learners: scores X W + b."""

from typing import Any

import numpy as np

from ...linear import LogisticRegression
from .graph import Graph


def scores(graph: Graph, X: str, learner: Any, fields: dict[str, Any]) -> str:
    """Scores: one column for regressors and two labels, else one for each label."""
    weights, bias = learner.weights, learner.bias
    if isinstance(bias, dict):
        matrix = np.array([list(weights[label].values()) for label in learner.labels]).T
        constant = np.array([[bias[label] for label in learner.labels]])
    else:
        matrix, constant = np.array([list(weights.values())]).T, np.array([[bias]])
    full = graph.no_gaps(X, np.zeros((1, 1)))
    product = graph.op("MatMul", full, graph.constant(matrix, np.float64))
    return graph.op("Add", product, graph.constant(constant, np.float64))


def predictions(graph: Graph, X: str, learner: Any, fields: dict[str, Any]) -> str:
    """Numbers, shape (rows, 1)."""
    found = scores(graph, X, learner, fields)
    if "targets" not in fields or fields["targets"][0] == 0.0:
        return found
    low, high = fields["targets"][3:]  # as linear/targets.pxd
    margin = 0.1 * (high - low)
    least, most = (
        graph.constant(low - margin, np.float64),
        graph.constant(high + margin, np.float64),
    )
    return graph.op("Min", graph.op("Max", found, least), most)


def probabilities(graph: Graph, found: str, learner: Any) -> str:
    """Probabilities of more than two labels, from their scores."""
    if not isinstance(learner, LogisticRegression):  # one against the rest: shares of sigmoids
        zero, one = graph.constant(0.0, np.float64), graph.constant(1.0, np.float64)
        small = graph.op("Exp", graph.op("Neg", graph.op("Abs", found)))
        log = graph.op("Log", graph.op("Add", one, small))
        found = graph.op("Sub", graph.op("Min", found, zero), log)  # of the sigmoid
    return graph.op("Softmax", found, axis=1)
