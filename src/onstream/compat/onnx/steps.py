"""Steps of a pipeline: the matrix of all features, changed; what is missing stays so."""

from typing import Any

import numpy as np

from ...features import Imputer, MinMaxScaler, Select, StandardScaler
from .columns import Columns
from .graph import Graph


def apply(graph: Graph, X: str, step: Any, columns: Columns, who: str) -> str:
    """The matrix after a step."""
    fields = step._model.snapshot()
    if isinstance(step, Select):
        kept = {str(name) for name in step.names}
        chosen = [is_chosen(name, kept, columns.by_value) for name in columns.features]
        gap = graph.constant(np.nan, np.float64)
        return graph.op("Where", graph.constant([chosen], np.bool_), X, gap)
    if isinstance(step, Imputer):
        return imputed(graph, X, step, fields)
    if not isinstance(step, (MinMaxScaler, StandardScaler)):
        raise TypeError(
            f"{who}: {type(step).__name__} cannot be exported to ONNX; before the learner only "
            f"StandardScaler, MinMaxScaler, Imputer and Select can. Apply it before the model is "
            f"asked, and train the learner behind it on rows of transform_many."
        )
    offset, factor = scales(step, fields)
    for feature in columns.values:
        offset[feature], factor[feature] = 0.0, 1.0
    moved = graph.op("Sub", X, graph.constant(offset.reshape(1, -1)))
    return graph.op("Mul", moved, graph.constant(factor.reshape(1, -1)))


def is_chosen(name: Any, kept: set[str], by_value: bool) -> bool:
    """Say whether `Select` keeps a feature; of text, all its values."""
    return str(name) in kept or (by_value and str(name).partition("=")[0] in kept)


def scales(step: Any, fields: dict[str, Any]) -> tuple[Any, Any]:
    """What is subtracted from each feature, and what multiplied with; as features/_scalers.pyx."""
    stats = fields["stats"]
    weight, first, second, text = stats.T
    if isinstance(step, StandardScaler):
        variance = np.divide(second, weight, out=np.zeros_like(second), where=weight > 0.0)
        offset = first + fields.get("low", 0.0)
        spread = np.sqrt(variance)
    else:
        offset, spread = first.copy(), np.maximum(second - first, 0.0)
    factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
    as_it_is = (spread == 0.0) & (text != 0.0) & (first == 1.0)  # a value of text
    offset[as_it_is], factor[as_it_is] = 0.0, 1.0
    return offset, factor


def imputed(graph: Graph, X: str, step: Any, fields: dict[str, Any]) -> str:
    """Gaps of numbers that have come before, filled."""
    weight, mean, other, text = fields["stats"].T
    fills = (weight > 0.0) & ((text == 0.0) | (other != 0.0))
    value = mean if step.strategy == "mean" else np.full(len(mean), step.value)
    return graph.no_gaps(X, np.where(fills, value, np.nan).reshape(1, -1))
