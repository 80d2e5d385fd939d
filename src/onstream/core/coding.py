"""How two labels become one signed score."""

from collections.abc import Sequence
from typing import Any


def first_sign(labels: Sequence[Any]) -> float:
    """Code of the first label: True or 1 is +1, any other -1. The second has the other sign."""
    return 1.0 if len(labels) and (labels[0] is True or labels[0] == 1) else -1.0
