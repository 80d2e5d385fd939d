"""Arrow columns as the cells of a table: numbers, or texts and their codes.

The encoding of a column does not matter: a dictionary of numbers is a column of numbers.
"""

from typing import Any

import numpy as np

from .arrow import as_array
from .cell_rows import Table

FEW = 64  # texts that are faster listed than coded by Arrow


def read_cells(who: str, names: list[str], columns: list[Any], rows: int) -> Table:
    """The columns of an Arrow table as NumPy arrays."""
    table = Table(names, [], [], {}, rows)
    for name, column in zip(names, columns, strict=True):
        add_column(who, table, name, column)
    return table


def add_column(who: str, table: Table, name: str, column: Any) -> None:
    """Append one column to the numbers, masks and texts of a table."""
    column = decoded(column)
    mask = as_array(column.is_valid()) if column.null_count else None
    table.present.append(mask)
    if not numeric(column.type):
        table.texts[len(table.numbers)] = text_codes(who, name, column)
        table.numbers.append(None)
    elif mask is None:
        table.numbers.append(as_numbers(column))
    else:
        numbers = np.zeros(table.rows)
        numbers[mask] = as_array(column.drop_null())
        table.numbers.append(numbers)


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


def numeric(kind: Any) -> bool:
    """Say whether an Arrow type is a number or a bool."""
    import pyarrow.types as types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


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
