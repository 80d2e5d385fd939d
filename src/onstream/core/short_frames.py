"""Frames of few rows, read as mappings.

To take a column out of a frame costs some 10 µs, to read a cell of a mapping a hundredth of that:
what suits many rows is slow for ten. What is unusual here (types, names, values) is left to the
way of long frames, which also has the errors.
"""

import sys
from typing import Any, NamedTuple

import numpy as np

from .number_frames import POLARS
from .pandas_frames import PLAIN, blocks_of, is_plain_frame, names_in

MOST = 128  # rows; columns are read faster if there are more
MASKED = {"BooleanDtype", "Float32Dtype", "Float64Dtype"}
MASKED |= {f"{kind}Int{bits}Dtype" for kind in ("", "U") for bits in (8, 16, 32, 64)}
ARROW_NUMBERS = {"bool", "float", "double"}
ARROW_NUMBERS |= {f"{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)}
ARROW_TEXTS = {"string", "large_string", "string_view"}
MOST_LISTED = 10_000  # categories of a column whose texts are kept in a list
MOST_INDEXES, MOST_KEPT = 1_000, 16_000_000  # such lists, and bytes in them; then all go
_listed: dict[int, Any] = {}  # by the id of an index of categories: that index, and its texts
_kept = 0  # bytes in them, about
Columns = tuple[list[str], list[Any]]  # names, and the values of each column; None is missing


class ShortFrame(NamedTuple):
    """A frame as mappings, and its columns that hold text or numbers."""

    names: list[str]
    rows: list[dict[str, Any]]
    texts: list[str]
    numbers: list[str]


def short_frame(X: Any) -> ShortFrame | None:
    """X as mappings; None: it is long, or unusual."""
    try:
        found: Columns | None = None
        if is_plain_frame(X):
            found = of_pandas(X) if 0 < len(X) <= MOST else None
        elif is_a(X, "polars", "DataFrame"):
            found = of_polars(X) if 0 < X.height <= MOST else None
        elif is_a(X, "pyarrow", "Table"):
            found = of_arrow(X) if 0 < X.num_rows <= MOST else None
        return None if found is None else as_mappings(*found)
    except (IndexError, TypeError, ValueError):  # no Unicode text; or changed by another thread
        return None


def as_mappings(names: list[str], columns: list[Any]) -> ShortFrame:
    """The rows of these columns."""
    texts, numbers = [], []
    for name, column in zip(names, columns, strict=True):
        kinds = set(map(type, column))
        if str in kinds:
            texts.append(name)
        elif kinds != {type(None)}:
            numbers.append(name)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return ShortFrame(names, rows, texts, numbers)


def is_a(X: Any, module: str, name: str) -> bool:
    """Say whether X is of this class, not of a subclass, of a library that need not be there."""
    return type(X) is getattr(sys.modules.get(module), name, None)


def of_polars(X: Any) -> Columns | None:
    """The columns of a frame of Polars. NaN is a number there, as it is in Arrow."""
    kinds = {str(kind.base_type()) for kind in X.dtypes}
    if not X.columns or not kinds <= {*POLARS, "Boolean", "String", "Categorical", "Enum"}:
        return None
    return X.columns, list(zip(*X.rows(), strict=True))


def of_arrow(X: Any) -> Columns | None:
    """The columns of a table of Arrow."""
    schema = X.schema
    names, about_pandas = schema.names, (schema.metadata or {}).get(b"pandas")
    if not names or len(set(names)) < len(names) or not all(map(is_usual, schema.types)):
        return None
    if about_pandas and b'"index_columns": []' not in about_pandas:
        return None
    return names, [column.to_pylist() for column in X.columns]


def is_usual(kind: Any) -> bool:
    """Say whether an Arrow type is a usual one of numbers or texts."""
    if hasattr(kind, "value_type"):
        kind = kind.value_type if hasattr(kind, "index_type") else None
    return str(kind) in ARROW_NUMBERS | ARROW_TEXTS


def of_pandas(X: Any) -> Columns | None:
    """The columns of a frame of pandas, which keeps those of one type together as a block."""
    names, blocks = names_in(X.columns), blocks_of(X)
    if not names or blocks is None:
        return None
    columns: list[Any] = [None] * len(names)
    for values, places in blocks:
        lists = lists_of(values)
        if lists is None:
            return None
        for at, column in zip(places, lists, strict=True):
            columns[at] = column
    return names, columns


def lists_of(values: Any) -> list[Any] | None:
    """The columns of a block of pandas, or the only one; None: they are unusual."""
    kind = values.dtype
    if isinstance(kind, np.dtype):
        if kind in PLAIN:
            lists = values.tolist()
            gaps = kind.kind == "f" and np.isnan(values).any()
            return list(map(without_nan, lists)) if gaps else lists
        if kind.kind != "O":
            return None
        lists = list(map(objects, values.tolist()))
        return None if any(column is None for column in lists) else lists
    if type(kind).__name__ == "CategoricalDtype":
        column = categories(values)
    elif type(kind).__name__ == "StringDtype":
        column = objects(values.tolist())
    elif type(kind).__name__ in MASKED:
        column = without_na(values.tolist())
    else:
        return None
    return None if column is None else [column]


def without_nan(column: list[Any]) -> list[Any]:
    """Numbers, with None for NaN."""
    return [None if number != number else number for number in column]


def without_na(column: list[Any]) -> list[Any]:
    """Numbers of a nullable column, with None for NA; NaN is a number there."""
    return [None if type(number).__name__ == "NAType" else number for number in column]


def objects(column: list[Any]) -> list[Any] | None:
    """Texts, or numbers of one type, with None for missing ones; None for all: there is more."""
    kinds = set(map(type, column))
    if kinds == {str}:
        "".join(column).encode()  # refuses what is no Unicode text
        return column
    kinds.discard(type(None))
    if kinds == {float}:
        return [None if value is None or value != value else value for value in column]
    if kinds == {int}:
        whole = [number for number in column if number is not None]
        return column if min(whole) >= -(2**63) and max(whole) < 2**63 else None
    if not kinds or kinds == {bool}:
        return column
    if not {kind.__name__ for kind in kinds} <= {"str", "float", "NAType"}:
        return None
    if any(type(value) is float and value == value for value in column):
        return None
    texts = [value if type(value) is str else None for value in column]
    "".join(filter(None, texts)).encode()
    return texts


def categories(values: Any) -> list[Any] | None:
    """Texts of a column of categories, whose codes are read faster than the column itself."""
    own = values.categories
    if len(own) > MOST_LISTED:
        return objects(values.tolist())
    _, texts = _listed.get(id(own), (None, None))
    if texts is None:
        texts = [*own.tolist(), None]
        keep(own, texts)
    return objects([texts[code] for code in values.codes.tolist()])  # -1 is the last, None


def keep(own: Any, texts: list[Any]) -> None:
    """Keep the texts of an index of categories for the next frame, unless they are large."""
    global _kept
    size = sum(map(sys.getsizeof, texts))
    if size > MOST_KEPT:
        return
    if len(_listed) >= MOST_INDEXES or _kept + size > MOST_KEPT:
        _listed.clear()
        _kept = 0
    _listed[id(own)] = own, texts  # while it is kept, its id is no other's
    _kept += size
