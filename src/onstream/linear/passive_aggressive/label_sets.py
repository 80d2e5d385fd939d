"""Sets of labels as users write them: one for an example, or one for each row of a block."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

WANTED = "Write the labels of each row as a set or a list, such as [{'a', 'c'}, {'b'}, set()]."


def label_set(who: str, y: Any) -> Iterable[Any]:
    """The labels of one example; a label alone is the set of it."""
    if hasattr(y, "as_py"):  # a value of Arrow
        y = y.as_py()
    if isinstance(y, Mapping) or len(getattr(y, "shape", ())) > 1:
        raise TypeError(f"{who}: y must be a set of labels, got {y!r:.80}.")
    if isinstance(y, (str, bytes)) or not hasattr(y, "__iter__") or getattr(y, "ndim", 1) == 0:
        return (y,)
    return y if isinstance(y, (set, frozenset)) else not_indicators(who, list(y))


def not_indicators(who: str, labels: list[Any]) -> list[Any]:
    """Refuse a list that repeats 0 or 1: it says which columns apply, not which labels."""
    if are_bits(labels) and len(labels) > len(set(labels)):
        raise ValueError(f"{who}: y looks like indicators, {labels!r:.60}. {WANTED}")
    return labels


def are_bits(values: list[Any]) -> bool:
    """Say whether every value is 0 or 1."""
    return all(
        isinstance(one, (int, float, np.number, np.bool_)) and one in (0, 1) for one in values
    )


def indicator_rows(sets: list[Any]) -> bool:
    """Say whether every row is a list of 0 and 1, all of one length: indicators, not labels."""
    widths = set()
    for row in sets:
        plain = row.as_py() if hasattr(row, "as_py") else row
        if isinstance(plain, (str, bytes, Mapping, set, frozenset)) or not hasattr(
            plain, "__len__"
        ):
            return False
        values = list(plain)
        widths.add(len(values))
        if len(widths) > 1 or len(values) < 2 or not are_bits(values):
            return False
    return len(sets) > 1


def label_sets(who: str, y: Any) -> list[Any]:
    """The sets of a block, one for each row, each still as the user wrote it."""
    shape = getattr(y, "shape", None)
    texts = getattr(getattr(y, "dtype", None), "kind", "") in ("U", "O", "T")
    if shape is not None and len(shape) > 1 and not (len(shape) == 2 and texts):
        raise TypeError(
            f"{who}: y must hold a set of labels for each row, got a {type(y).__name__} of shape "
            f"{tuple(shape)}, which could be indicators. {WANTED}"
        )
    unordered = isinstance(y, (str, bytes, Mapping, set, frozenset))
    if unordered or not hasattr(y, "__len__") or shape == ():
        raise TypeError(f"{who}: y must hold a set of labels for each row, got {y!r:.80}. {WANTED}")
    sets = list(y.to_pylist()) if hasattr(y, "to_pylist") else list(y)
    if indicator_rows(sets):
        raise ValueError(
            f"{who}: y looks like indicators, all rows being lists of 0 and 1 of one length, "
            f"such as {sets[0]!r:.60}. {WANTED}"
        )
    return sets
