"""Predictions of models as columns of labels, numbers and scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coding import first_sign


def as_column(values: Any) -> NDArray[Any]:
    """Labels or numbers as an array; mixed ones stay objects."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values))
        if kinds <= {int} or kinds <= {float} or kinds <= {int, float} or kinds <= {bool}:
            return np.asarray(values)
        array = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):  # which may be a sequence itself
            array[i] = value
        return array
    if hasattr(values, "to_numpy") and not hasattr(values, "__array__"):
        return np.asarray(values.to_numpy())
    return np.asarray(values)


def both(known: list[Any], scores: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of the label coded +1, made scores of every label known (at most two)."""
    if not known:
        return np.zeros((len(scores), 0))
    sign = first_sign(known)
    return np.column_stack([sign * scores, -sign * scores])[:, : len(known)]


def decided(known: list[Any], scores: NDArray[Any], output: str) -> NDArray[Any]:
    """The best-scored label of each row; None where there are no scores."""
    labels = np.array([*known, None], dtype=object)
    if not known or not len(scores):
        return np.full(len(scores), None, dtype=object)
    blank = np.isnan(scores).all(axis=1) if output == "score" else ~scores.any(axis=1)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    best = np.argmax(filled, axis=1)
    if len(known) == 2:  # a tie goes to the label coded +1
        positive = 0 if first_sign(known) > 0.0 else 1
        best[filled[:, 0] == filled[:, 1]] = positive
    best[blank] = len(known)
    chosen = labels[best]
    return np.asarray(chosen)


def same_structure(y: Any, answer: Any) -> bool:
    """Say whether a set of labels, or a structure, is the true one; one label is the set of it."""
    if isinstance(answer, (set, frozenset)) and not isinstance(y, (set, frozenset)):
        y = {y} if isinstance(y, (str, int, np.generic)) else set(y)
    return bool(np.all(answer == y))
