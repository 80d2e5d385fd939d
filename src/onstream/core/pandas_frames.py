"""Frames of pandas, column by column: `pa.table` takes most of its time for index and metadata."""

import sys
from typing import Any

import numpy as np

from .arrow_cells import add_column
from .cell_rows import Table

KINDS = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")
PLAIN = frozenset(map(np.dtype, KINDS))  # what Arrow takes, too
FEW = 1000  # categories that are faster listed than chosen

_last: tuple[Any, list[str]] | None = None  # an index of pandas, and the names in it


def is_plain_frame(X: Any) -> bool:
    """Say whether X is a frame of pandas itself, not of a subclass."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(X) is getattr(pandas, "DataFrame", None)


def blocks_of(X: Any) -> list[tuple[Any, Any]] | None:
    """The arrays in which a frame keeps columns of one type, and the places of these columns.

    Every other way to columns of mixed types makes a series of each, for some 10 µs. This one is
    not public; None: this pandas does not have it.
    """
    try:
        return [(block.values, block.mgr_locs) for block in X._mgr.blocks]
    except AttributeError:
        return None


def types_in(X: Any) -> list[Any]:
    """The types of the columns, some of them more than once."""
    blocks = blocks_of(X)
    return X.dtypes.tolist() if blocks is None else [values.dtype for values, _ in blocks]


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


def pandas_cells(who: str, X: Any) -> Table | None:
    """The columns of a frame of pandas; None: `pa.table` must decide, or has the better error."""
    if not is_plain_frame(X) or not len(X):
        return None
    names = names_in(X.columns)
    if not names:
        return None
    import pyarrow as pa

    table = Table(names, [], [], {}, len(X))
    try:
        for name, (_, column) in zip(names, X.items(), strict=True):
            if isinstance(column.dtype, np.dtype) and column.dtype in PLAIN:
                add_numbers(table, column.values)
            elif not add_categories(table, column):
                array = pa.array(values_of(column), from_pandas=True)
                whole = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
                add_column(who, table, name, whole)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None
    return table


def add_numbers(table: Table, numbers: Any) -> None:
    """Append a column of numbers, in which NaN is missing."""
    missing = np.isnan(numbers) if numbers.dtype.kind == "f" else None
    table.present.append(~missing if missing is not None and missing.any() else None)
    table.numbers.append(numbers)


def add_categories(table: Table, column: Any) -> bool:
    """Append a column of categories of text by its codes; False: it is none."""
    categories = getattr(column.dtype, "categories", None)
    if categories is None or not hasattr(column.array, "codes"):
        return False
    codes = column.array.codes
    present = codes >= 0
    if not present.all():
        codes = codes[present]
    if len(categories) <= max(len(codes), FEW):
        texts = categories.tolist()
    else:  # most are of other rows
        used, codes = np.unique(codes, return_inverse=True)
        texts = categories.take(used).tolist()
    if not texts or not all(type(text) is str for text in texts):
        return False
    "".join(texts).encode()  # refuses what is no Unicode text
    table.texts[len(table.numbers)] = texts, codes.astype(np.int64)
    table.present.append(None if present.all() else present)
    table.numbers.append(None)
    return True


def values_of(column: Any) -> Any:
    """The values of a series, as it keeps them."""
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return column.values
    if type(kind).__name__ == "SparseDtype":
        raise TypeError("sparse columns are refused")
    return column.array
