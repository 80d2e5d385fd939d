"""Data frames of any library, read through the Arrow stream interface.

Numbers and bools become values, strings become features `name=value` (or nominal values, for a
learner that takes them), null is missing.
"""

from typing import Any

import numpy as np

from .arrow import arrow_table
from .arrow_cells import read_cells, without_runs, wrong_type
from .cell_rows import Table, nominal_rows, numbers_table, one_hot_rows
from .coerce import is_missing, row_error
from .doubts import doubt_frame, doubt_kinds, doubt_new_columns, doubt_selection
from .number_frames import has_nan, plain_numbers
from .pandas_frames import pandas_cells
from .rows import mapping_rows
from .short_frames import short_frame
from .sources import Dense


def table_rows(encoder: Any, X: Any, learning: bool, weights: Any) -> Any:
    """A source for the frame X, with warnings about its columns."""
    numbers = plain_numbers(X)
    if numbers is not None:
        return plain_rows(encoder, *numbers, learning, weights)
    short = short_frame(X)
    if short is not None:
        source = mapping_rows(encoder, short.rows, learning, weights)
        doubt_columns(encoder, short.names, (short.texts, short.numbers), learning)
        return source
    cells = pandas_cells(encoder.who, X)
    if cells is None:
        cells = arrow_cells(encoder.who, X)
    if encoder.nominal and (encoder.codes_numbers() or not all_numbers(cells)):
        source = nominal_rows(encoder, cells, learning, weights)
    elif all_numbers(cells):
        source = Dense(encoder, stacked(cells), learning, cells.names)
    else:
        source = one_hot_rows(encoder, cells, learning, weights)
    if cells.rows:
        doubt_columns(encoder, cells.names, by_kind(cells), learning)
    else:
        doubt_selection(encoder, cells.names)
    return source


def doubt_columns(encoder: Any, names: list[str], kinds: Any, learning: bool) -> None:
    """Warn of columns that come, are gone or change; `kinds`: those of text, those of numbers."""
    doubt_selection(encoder, names)
    if not encoder.nominal:
        doubt_kinds(encoder, *kinds)
    (doubt_new_columns if learning else doubt_frame)(encoder, names)


def arrow_cells(who: str, X: Any) -> Table:
    """The columns of anything with an Arrow stream."""
    table, names = read_table(who, X)
    try:
        return read_cells(who, names, [table.column(name) for name in names], table.num_rows)
    except UnicodeDecodeError:
        raise not_utf8(who, table, names) from None


def all_numbers(cells: Table) -> bool:
    """Say whether every column is numeric, without missing values."""
    return not cells.texts and all(mask is None for mask in cells.present)


def by_kind(cells: Table) -> tuple[list[str], list[str]]:
    """Names of the text columns and of the numeric ones; a column without values is neither."""
    texts: list[str] = []
    numbers: list[str] = []
    for j, (name, mask) in enumerate(zip(cells.names, cells.present, strict=True)):
        if cells.rows if mask is None else mask.any():
            (texts if j in cells.texts else numbers).append(name)
    return texts, numbers


def stacked(cells: Table) -> Any:
    """Numeric columns as one matrix."""
    values = np.empty((cells.rows, len(cells.names)))
    for j, numbers in enumerate(cells.numbers):
        values[:, j] = numbers
    return values


def plain_rows(encoder: Any, names: list[str], values: Any, learning: bool, weights: Any) -> Any:
    """A source for a frame of numbers, in which NaN is missing; with the same warnings."""
    known = None
    if not encoder.hashes() and not (encoder.nominal and encoder.codes_numbers()):
        known = Dense(encoder, values, False, names, gaps=True)  # asks, but adds no feature
    if known is not None and (known.known or not learning):
        source = known
    elif encoder.nominal and (known is None or has_nan(values)):
        source = nominal_rows(encoder, numbers_table(names, values, True), learning, weights)
    elif has_nan(values):
        source = one_hot_rows(encoder, numbers_table(names, values, True), learning, weights)
    else:
        source = Dense(encoder, values, learning, names)
    doubt_selection(encoder, names)
    if known is None or not known.known:
        if not encoder.nominal:
            filled = ~np.isnan(values).all(axis=0)
            doubt_kinds(
                encoder, (), [name for name, some in zip(names, filled, strict=True) if some]
            )
        if learning:
            doubt_new_columns(encoder, names)
    if not learning:
        doubt_frame(encoder, names)
    return source


def read_table(who: str, X: Any) -> tuple[Any, list[str]]:
    """X as an Arrow table, and the names of its columns without the index of a pandas frame."""
    import pyarrow as pa

    try:
        table = arrow_table(X)
    except OverflowError:
        raise too_large(who, X) from None
    except (pa.ArrowException, TypeError, ValueError) as error:
        if isinstance(X, (pa.Array, pa.ChunkedArray)) or len(getattr(X, "shape", ())) == 1:
            raise one_column(who, X) from None
        if (mixed := mixed_column(X)) is not None:
            raise TypeError(f"{who}: X could not be read as a table: {mixed}") from None
        reason = " ".join(map(str, error.args))  # pyarrow's errors may have several parts
        raise TypeError(f"{who}: X could not be read as a table: {reason:.200}") from None
    metadata = table.schema.pandas_metadata or {}
    index = {name for name in metadata.get("index_columns", []) if isinstance(name, str)}
    names = [name for name in table.column_names if name not in index]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{who}: X has two columns called {twice!r}.")
    if not names and max(table.num_rows, *getattr(X, "shape", (0,))):
        raise ValueError(f"{who}: X has rows, but no columns.")
    return table, names


def mixed_column(X: Any) -> str | None:
    """What to do about the first column of a pandas frame with text and other values; or None."""
    if not hasattr(X, "dtypes") or not hasattr(X, "items"):
        return None
    for name, column in X.items():
        if str(getattr(column, "dtype", "")) != "object":
            continue
        first: dict[type, Any] = {}
        for value in column:
            if not is_missing(value):
                first.setdefault(type(value), value)
        if str in first and len(first) > 1:
            text = first.pop(str)
            other, value = next(iter(first.items()))
            return (
                f"column {name!r} holds text ({text!r:.40}) and {other.__name__} ({value!r:.40}); "
                f"a column must be one of both. Make text of it by df[{name!r}].astype(str), or "
                f"numbers by pandas.to_numeric(df[{name!r}], errors='coerce'), in which other "
                f"texts are missing."
            )
    return None


def one_column(who: str, X: Any) -> TypeError:
    """The error for a series where a table is needed."""
    name = getattr(X, "name", None) or "a"
    return TypeError(
        f"{who}: X is one column, a {type(X).__name__}; it must be a table of rows. Pass a "
        f"frame with that column, such as df[[{name!r}]]."
    )


def rows_of_table(who: str, X: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of the columns of a table, and its rows as mappings."""
    import pyarrow as pa

    table, names = read_table(who, X)
    for name in names:
        if isinstance(table.field(name).type, pa.BaseExtensionType):  # a mapping shows its storage
            raise wrong_type(who, name, table.field(name).type)
    try:
        return names, table.select(names).to_pylist()
    except UnicodeDecodeError:
        raise not_utf8(who, table, names) from None


def too_large(who: str, X: Any) -> Exception:
    """The error for a frame with whole numbers that do not fit into 64 bits."""
    for name in getattr(X, "columns", ()):
        for row, value in enumerate(X[name]):
            if isinstance(value, int) and not -(2**63) <= value < 2**64:
                reason = (
                    f"column {name!r} is a whole number of {value.bit_length():,} bits; beyond 64 "
                    f"it must be a float."
                )
                return row_error(ValueError, who, row, reason)
    return ValueError(f"{who}: X has whole numbers beyond 64 bits; make floats of them.")


def not_utf8(who: str, table: Any, names: list[str]) -> Exception:
    """The error for a table with a string that is not UTF-8: which column and row."""
    for name in names:
        for row, value in enumerate(table.column(name)):
            try:
                value.as_py()
            except UnicodeDecodeError as error:
                reason = f"column {name!r} is not UTF-8 text: {error.object!r:.60}."
                return row_error(ValueError, who, row, reason)
    return ValueError(f"{who}: X holds text that is not UTF-8.")


def text_column(who: str, X: Any) -> list[str | None] | None:
    """The texts of X if it is a list, an array or a series of texts; otherwise None."""
    values = X
    if hasattr(X, "to_pylist"):  # an Arrow array
        try:
            values = X.to_pylist() if len(getattr(X, "shape", (0,))) == 1 else None
        except UnicodeDecodeError as error:
            raise ValueError(f"{who}: X is not UTF-8 text: {error.object!r:.60}.") from None
    elif not isinstance(X, (list, tuple)):
        one = len(getattr(X, "shape", ())) == 1 and hasattr(X, "__array__")
        values = np.asarray(X, dtype=object).tolist() if one else None
    if not values or not all(isinstance(value, str) or is_missing(value) for value in values):
        return None
    if not any(isinstance(value, str) for value in values):
        return None
    return [str(value) if isinstance(value, str) else None for value in values]


def movable(X: Any) -> Any:
    """X; an Arrow table or column in a layout that `take` supports."""
    import pyarrow as pa

    if isinstance(X, pa.ChunkedArray):
        return movable_column(X)
    if isinstance(X, pa.Table):
        for j, column in enumerate(X.columns):
            moved = movable_column(column)
            if moved is not column:
                X = X.set_column(j, X.field(j).with_type(moved.type), moved)
    return X


def movable_column(column: Any) -> Any:
    """A column in a layout that `take` supports: no runs, and no views, which Polars uses."""
    import pyarrow as pa
    import pyarrow.types as types

    column = without_runs(column)
    if types.is_string_view(column.type):
        return column.cast(pa.large_string())
    if types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    return column
