"""What can be a stream: blocks of rows, whatever was passed."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

Block: TypeAlias = tuple[Any, Any, Any]
"""Rows, targets, and weights or None."""


def blocks(stream: Any, size: int) -> Iterator[Block]:
    """The stream as blocks of at most `size` rows."""
    if isinstance(stream, tuple):
        if len(stream) not in (2, 3):
            raise TypeError(
                f"prequential: a stream given as a tuple is (X, y) or (X, y, w), "
                f"got {len(stream)} items."
            )
        X, y, w = (*stream, None)[:3]
        rows = length(y)
        if length(X) != rows:
            raise ValueError(f"prequential: X has {length(X):,} rows, y has {rows:,}.")
        for start in range(0, rows, size):
            stop = min(start + size, rows)
            weights = None if w is None else cut(w, start, stop)
            yield cut(X, start, stop), cut(y, start, stop), weights
    elif hasattr(stream, "batches"):
        # A reader's own blocks need not be put together.
        for block in stream.blocks() if hasattr(stream, "blocks") else stream.batches(size):
            yield (*block, None)[:3]
    elif hasattr(stream, "__iter__") and not isinstance(stream, (str, bytes, Mapping)):
        yield from gathered(stream, size)
    else:
        raise TypeError(
            f"prequential: a stream is (X, y), an iterable of (x, y), or something with "
            f"batches(n), got {type(stream).__name__}."
        )


def rows_in(stream: Any) -> int | None:
    """How many rows the stream has, if that is known."""
    if isinstance(stream, tuple) and len(stream) in (2, 3):
        return length(stream[1])
    try:
        return len(stream)
    except TypeError:
        return None


def gathered(stream: Any, size: int) -> Iterator[Block]:
    """Blocks from single examples (x, y) or (x, y, w)."""
    X: list[Any] = []
    y: list[Any] = []
    w: list[Any] = []
    for number, example in enumerate(stream):
        if not isinstance(example, (tuple, list)) or len(example) not in (2, 3):
            raise TypeError(
                f"prequential: a stream yields (x, y) or (x, y, w); item {number:,} is "
                f"{example!r:.60}."
            )
        X.append(example[0])
        y.append(example[1])
        w.append(example[2] if len(example) == 3 else 1.0)
        if len(y) == size:
            yield X, y, w
            X, y, w = [], [], []
    if y:
        yield X, y, w


def length(rows: Any) -> int:
    """How many rows there are."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def cut(rows: Any, start: int, stop: int) -> Any:
    """Rows start ... stop-1, without a copy where that can be."""
    if start == 0 and stop == length(rows):
        return rows
    if hasattr(rows, "iloc"):
        return rows.iloc[start:stop]
    if hasattr(rows, "slice") and hasattr(rows, "__arrow_c_stream__"):
        return rows.slice(start, stop - start)
    return rows[start:stop]


def single(X: Any) -> list[Any]:
    """The rows one by one, as `predict_one` takes them."""
    if isinstance(X, (np.ndarray, list)):
        return list(X)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        ends = X.indptr
        return [
            dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
            for a, b in pairwise(ends.tolist())
        ]
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow as pa

        return list(pa.table(X).to_pylist())
    return list(X)
