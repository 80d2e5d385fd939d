"""Rules about labels that several layers share: their signs, and how many there may be."""

from collections.abc import Sequence
from typing import Any


def first_sign(labels: Sequence[Any]) -> float:
    """Code of the first label: True or 1 is +1, any other -1. The second has the other sign."""
    return 1.0 if len(labels) and (labels[0] is True or labels[0] == 1) else -1.0


def too_many_labels(label: str, number: int, limit: int) -> str:
    """The beginning of the sentence about a label, as it is shown, that would be one too many."""
    return (
        f"label {label} would be number {number:,}, max_labels is {limit:,}. "
        f"Raise max_labels if there are really so many"
    )
