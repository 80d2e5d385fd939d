"""Types of what users pass, for annotations."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

Example: TypeAlias = Mapping[str, Any] | Mapping[int, Any] | NDArray[Any] | Sequence[float]
"""One example: features to values, or a 1-D array."""

Rows: TypeAlias = Any
"""Many: a 2-D array, a CSR matrix, a list of mappings, or a data frame of any kind."""

Label: TypeAlias = bool | int | str
"""What a classifier predicts."""
