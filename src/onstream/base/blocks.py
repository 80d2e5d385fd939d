"""Blocks of rows: `(X, y)` or `(X, y, w)`, with X an array, a table or sparse rows.

Learners take such blocks as they are; here they are measured, cut, joined, put in order and turned
into single examples. A part of a block is X or one column.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.frames import movable

Block: TypeAlias = tuple[Any, ...]  # (X, y) or (X, y, w)


def count_rows(part: Any) -> int | None:
    """How many rows a part has; None if it does not say."""
    if hasattr(part, "shape") and len(part.shape):
        return int(part.shape[0])
    try:
        return len(part)
    except TypeError:
        return None


def length(block: Block) -> int:
    """How many rows a block has."""
    return count_rows(block[0]) or 0


def cut(block: Block, start: int, stop: int) -> Block:
    """Rows start ... stop-1, without copying where that is possible."""
    if start == 0 and stop >= length(block):
        return block
    return tuple(cut_part(part, start, stop) for part in block)


def cut_part(part: Any, start: int, stop: int) -> Any:
    """The same of one part."""
    if part is None:
        return None
    if hasattr(part, "iloc"):
        return part.iloc[start:stop]
    if hasattr(part, "slice") and (
        hasattr(part, "__arrow_c_stream__") or hasattr(part, "__arrow_c_array__")
    ):
        return part.slice(start, stop - start)
    return part[start:stop]


def take(block: Block, order: Any) -> Block:
    """Rows in another order."""
    return tuple(take_part(part, order) for part in block)


def take_part(part: Any, order: Any) -> Any:
    """The same of one part."""
    if part is None:
        return None
    if isinstance(part, (list, tuple)):
        return [part[i] for i in order]
    if isinstance(part, np.ndarray):
        return part.take(order, axis=0)
    if columns_of(part) == []:
        return no_columns(len(order))
    return movable(part).take(order)


def join(blocks: Sequence[Block]) -> Block:
    """One block out of several, which have the same columns."""
    if len(blocks) == 1:
        return blocks[0]
    return tuple(join_parts(parts) for parts in zip(*blocks, strict=True))


def join_parts(parts: Sequence[Any]) -> Any:
    """The same of one part."""
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, (list, tuple)):
        return [row for part in parts for row in part]
    if hasattr(first, "joined"):  # sparse rows know how
        return first.joined(parts)
    import pyarrow as pa

    tables = [
        part if isinstance(part, pa.Table) else pa.Table.from_batches([part]) for part in parts
    ]
    if not any(table.num_columns for table in tables):
        return no_columns(sum(table.num_rows for table in tables))
    return pa.concat_tables(tables, promote_options="default")  # a key may be missing in one


def no_columns(rows: int) -> Any:
    """A table of `rows` rows without features: Arrow would forget how many there are."""
    import pyarrow as pa

    return pa.table({"": pa.nulls(rows)}).select([])


def columns_of(X: Any) -> list[Any] | None:
    """The names of X's columns; None if every row has features of its own."""
    if isinstance(X, np.ndarray):
        return list(range(X.shape[1]))
    names = getattr(X, "column_names", None)
    return None if names is None else list(names)


def examples(block: Block) -> Iterator[tuple[Any, ...]]:
    """`(x, y)` or `(x, y, w)` row by row; the dicts of a block share their keys."""
    X, *rest = block
    n = length(block)
    others = [[None] * n if part is None else values(part) for part in rest]
    return zip(mappings(X), *others, strict=True)


def mappings(X: Any) -> Iterable[dict[Any, Any]]:
    """The rows of X as dicts."""
    if isinstance(X, (list, tuple)):
        return X
    if isinstance(X, np.ndarray):
        names = list(range(X.shape[1]))
        return (dict(zip(names, row, strict=True)) for row in X.tolist())
    if hasattr(X, "mappings"):
        return X.mappings()
    names = X.column_names
    if not names:
        return ({} for _ in range(X.num_rows))
    columns = [column.to_pylist() for column in X.columns]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def values(column: Any) -> list[Any]:
    """A column as plain Python values."""
    if isinstance(column, list):
        return column
    if hasattr(column, "to_pylist"):
        return list(column.to_pylist())
    return list(column.tolist())
