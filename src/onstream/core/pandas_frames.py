"""Frames of pandas as Arrow tables, without index and metadata, which cost more than the rest."""

import sys
from typing import Any

import numpy as np

_last: tuple[Any, list[str]] | None = None  # an index of pandas, and the names in it


def is_plain_frame(X: Any) -> bool:
    """Say whether X is a frame of pandas itself, not of a subclass."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(X) is getattr(pandas, "DataFrame", None)


def names_in(index: Any) -> list[str] | None:
    """The names in an index of pandas, as Arrow would have them; None: some are unusual."""
    global _last
    last = _last
    if last is not None and index.is_(last[0]):  # also that of a frame cut from the last one
        return last[1]
    names = index.tolist()
    if not all(type(name) is str for name in names):
        if not all(type(name) in (str, int) for name in names):
            return None
        names = list(map(str, names))
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return None
    if len(set(names)) < len(names):
        return None
    _last = index, names
    return names


def pandas_table(X: Any) -> Any:
    """The columns of a frame of pandas as an Arrow table; None: `pa.table` must decide."""
    import pyarrow as pa

    if not is_plain_frame(X) or not len(X):
        return None
    names = names_in(X.columns)
    if not names:
        return None
    try:
        columns = [pa.array(values_of(column), from_pandas=True) for _, column in X.items()]
        return pa.Table.from_arrays(columns, names)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None  # its errors name the column


def values_of(column: Any) -> Any:
    """The values of a series, as it keeps them."""
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return column.values
    if type(kind).__name__ == "SparseDtype":
        raise TypeError("sparse columns are refused")
    return column.array
