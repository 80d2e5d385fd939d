"""Data frames of any library, read through the Arrow stream interface.

Numbers and bools become values, strings become features `name=value` (or nominal values, for a
learner that takes them), null is missing. The encoding of a column does not matter: a dictionary
of numbers is a column of numbers.
"""

from typing import Any

import numpy as np

from .arrow import arrow_table, as_array
from .cell_rows import Table, nominal_rows, numbers_table, one_hot_rows
from .coerce import is_missing, row_error
from .doubts import doubt_frame, doubt_kinds, doubt_new_columns, doubt_selection
from .number_frames import has_nan, plain_numbers
from .pandas_frames import pandas_table
from .sources import Dense

FEW = 64  # texts that are faster listed than coded by Arrow


def table_rows(encoder: Any, X: Any, learning: bool, weights: Any) -> Any:
    """A source for the frame X, with warnings about its columns."""
    numbers = plain_numbers(X)
    if numbers is not None:
        return plain_rows(encoder, *numbers, learning, weights)
    table, names = read_table(encoder.who, X)
    try:
        columns = [decoded(table.column(name)) for name in names]
        numbers_only = all_numbers(columns)
        if encoder.nominal and (encoder.codes_numbers() or not numbers_only):
            cells = read_cells(encoder.who, names, columns, table.num_rows)
            source = nominal_rows(encoder, cells, learning, weights)
        elif numbers_only:
            source = Dense(encoder, stacked(columns, table.num_rows), learning, names)
        else:
            cells = read_cells(encoder.who, names, columns, table.num_rows)
            source = one_hot_rows(encoder, cells, learning, weights)
    except UnicodeDecodeError:
        raise not_utf8(encoder.who, table, names) from None
    doubt_selection(encoder, names)
    if table.num_rows:
        if not encoder.nominal:
            doubt_kinds(encoder, *by_kind(names, columns))
        (doubt_new_columns if learning else doubt_frame)(encoder, names)
    return source


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
        table = pandas_table(X)
        if table is None:
            table = arrow_table(X)
    except OverflowError:
        raise too_large(who, X) from None
    except (pa.ArrowException, TypeError, ValueError) as error:
        if isinstance(X, (pa.Array, pa.ChunkedArray)) or len(getattr(X, "shape", ())) == 1:
            raise one_column(who, X) from None
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


def decoded(column: Any) -> Any:
    """An Arrow column of plain values; only texts may stay in a dictionary, if it has no null."""
    import pyarrow as pa
    import pyarrow.types as types

    column = without_runs(column)
    if not types.is_dictionary(column.type):
        return column
    kind = column.type.value_type
    if numeric(kind):
        return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], kind)
    if types.is_null(kind) or any(chunk.dictionary.null_count for chunk in column.chunks):
        return pa.chunked_array([pa.array(column.to_pylist(), kind)])
    return column


def without_runs(column: Any) -> Any:
    """An Arrow column without run-end encoding."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if not types.is_run_end_encoded(column.type):
        return column
    try:
        return pc.run_end_decode(column)
    except pa.ArrowNotImplementedError:  # runs of views or of dictionary entries
        kind = column.type.value_type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        return pa.chunked_array([pa.array(column.to_pylist(), kind)])


def by_kind(names: list[str], columns: list[Any]) -> tuple[list[str], list[str]]:
    """Names of the text columns and of the numeric ones; a column without values is neither."""
    texts: list[str] = []
    numbers: list[str] = []
    for name, column in zip(names, columns, strict=True):
        if column.null_count < len(column):
            (numbers if numeric(column.type) else texts).append(name)
    return texts, numbers


def all_numbers(columns: list[Any]) -> bool:
    """Say whether every column is numeric without nulls."""
    return all(numeric(column.type) and column.null_count == 0 for column in columns)


def stacked(columns: list[Any], rows: int) -> Any:
    """Numeric columns as one matrix."""
    values = np.empty((rows, len(columns)))
    for j, column in enumerate(columns):
        values[:, j] = as_array(column)
    return values


def numeric(kind: Any) -> bool:
    """Say whether an Arrow type is a number or a bool."""
    import pyarrow.types as types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def read_cells(who: str, names: list[str], columns: list[Any], rows: int) -> Table:
    """The columns of an Arrow table as NumPy arrays."""
    numbers: list[Any] = []
    present: list[Any] = []
    texts: dict[int, tuple[list[str], Any]] = {}
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        mask = as_array(column.is_valid()) if column.null_count else None
        present.append(mask)
        if not numeric(column.type):
            numbers.append(None)
            texts[j] = text_codes(who, name, column)
        elif mask is None:
            numbers.append(as_numbers(column))
        else:
            numbers.append(np.zeros(rows))
            numbers[j][mask] = as_array(column.drop_null())
    return Table(names, numbers, present, texts, rows)


def text_codes(who: str, name: str, column: Any) -> tuple[list[str], Any]:
    """Distinct texts of a column, and the index of the text in each row that is not null."""
    import pyarrow as pa
    import pyarrow.types as types

    if column.null_count == len(column):
        return [], np.zeros(0, dtype=np.int64)
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        raise wrong_type(who, name, column.type)
    if len(column) <= FEW and kind == column.type:
        known: dict[str, int] = {}
        found = [
            known.setdefault(text, len(known)) for text in column.to_pylist() if text is not None
        ]
        return list(known), np.array(found, dtype=np.int64)
    if types.is_string_view(kind):  # few Arrow functions take views
        column, kind = without_views(column), pa.large_string()
    if column.num_chunks == 1:
        coded = column.chunk(0).drop_null().dictionary_encode()
    else:  # the joined dictionary may need wider indices than each chunk has
        parts = column.cast(kind).drop_null().dictionary_encode().unify_dictionaries()
        coded = pa.concat_arrays(parts.chunks)
    codes, texts = as_array(coded.indices), coded.dictionary
    if len(texts) > len(codes):  # most are of other rows
        used, codes = np.unique(codes, return_inverse=True)
        texts = texts.take(pa.array(used))
    return texts.to_pylist(), codes.astype(np.int64)  # of 8 bits, sums could overflow


def without_views(column: Any) -> Any:
    """A column of string views, or of a dictionary of them, as one of large strings."""
    import pyarrow as pa
    import pyarrow.types as types

    try:
        if not types.is_dictionary(column.type):
            return column.cast(pa.large_string())
        pairs = [
            (chunk.indices, chunk.dictionary.cast(pa.large_string())) for chunk in column.chunks
        ]
        return pa.chunked_array([pa.DictionaryArray.from_arrays(*pair) for pair in pairs])
    except pa.ArrowNotImplementedError:  # in an old pyarrow
        return pa.chunked_array([pa.array(column.to_pylist(), pa.large_string())])


def wrong_type(who: str, name: str, kind: Any) -> TypeError:
    """The error for a column whose Arrow type cannot be a feature."""
    import pyarrow.types as types

    inner = kind.value_type if types.is_dictionary(kind) else kind
    return TypeError(
        f"{who}: column {name!r} is of type {kind}; a feature must be a number, "
        f"a bool or a string. {remedy(inner)}, or drop the column."
    )


def remedy(kind: Any) -> str:
    """Advice for a column whose Arrow type cannot be a feature."""
    import pyarrow.types as types

    if types.is_temporal(kind):
        return "Make numbers of it, such as the hour, the weekday or the days since a date"
    if types.is_nested(kind):
        return "Give each of its parts a column"
    return "Make it one of these"


def as_numbers(column: Any) -> Any:
    """An Arrow column of numbers without nulls as a NumPy array, without a copy if possible."""
    numbers = as_array(column)
    return numbers if numbers.dtype.kind in "fiub" else np.asarray(numbers, dtype=np.float64)


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
