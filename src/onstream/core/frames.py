"""Data frames of any kind, through the Arrow stream interface, as rows of examples.

Numbers and bools become values, strings become features `name=value`, null is missing.
"""

from typing import Any

import numpy as np

from .door import in_row
from .sources import Dense, pack


def table_rows(door: Any, who: str, X: Any, learning: bool, weights: Any) -> Any:
    """A source of the rows of X: dense where every column is numeric without nulls."""
    import pyarrow as pa

    try:
        table = pa.table(X)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TypeError(f"{who}: X could not be read as a table: {error!s:.200}") from None
    metadata = table.schema.pandas_metadata or {}
    index = {name for name in metadata.get("index_columns", []) if isinstance(name, str)}
    names = [name for name in table.column_names if name not in index]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{who}: X has two columns called {twice!r}.")
    columns = [table.column(name) for name in names]
    rows = table.num_rows
    if all(numeric(column.type) and column.null_count == 0 for column in columns):
        values = np.empty((rows, len(names)))
        for j, column in enumerate(columns):
            values[:, j] = column.to_numpy()
        return Dense(door, values, learning, names)
    return mixed_rows(door, who, names, columns, rows, learning, weights)


def numeric(kind: Any) -> bool:
    """Say whether an Arrow type is a number or a bool."""
    import pyarrow.types as types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def mixed_rows(
    door: Any,
    who: str,
    names: list[str],
    columns: list[Any],
    rows: int,
    learning: bool,
    weights: Any,
) -> Any:
    """Rows where some values are text or missing."""
    features: list[str] = []  # every feature there can be
    which = np.zeros((rows, len(columns)), dtype=np.int64)  # feature of each cell
    values = np.ones((rows, len(columns)))
    present = np.zeros((rows, len(columns)), dtype=bool)
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        present[:, j] = column.is_valid().to_numpy()
        here = present[:, j]
        if numeric(column.type):
            which[:, j] = len(features)
            features.append(name)
            values[here, j] = np.asarray(column.drop_null().to_numpy(), dtype=np.float64)
        else:
            texts, codes = text_codes(who, name, column)
            which[here, j] = len(features) + codes
            features.extend(f"{name}={text}" for text in texts)
    finite = np.isfinite(values)
    if not finite.all():
        row, j = map(int, np.argwhere(~finite)[0])
        error = ValueError(
            f"{who}: feature {names[j]!r} is {values[row, j]}; values must be finite."
        )
        raise in_row(error, who, row)
    starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    return pack(door, features, which[present], values[present], starts, learning, weights)


def text_codes(who: str, name: str, column: Any) -> tuple[list[str], Any]:
    """Distinct texts of a column, and which of them stands in each row that is not null."""
    import pyarrow as pa
    import pyarrow.types as types

    if column.null_count == len(column):
        return [], np.zeros(0, dtype=np.int64)
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        raise TypeError(
            f"{who}: column {name!r} is of type {column.type}; a feature must be a number, "
            f"a bool or a string."
        )
    if types.is_string_view(kind):  # few functions of Arrow know this type
        column = pa.chunked_array([pa.array(column.to_pylist(), pa.string())])
    coded = pa.concat_arrays(column.drop_null().dictionary_encode().unify_dictionaries().chunks)
    return coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False)
