"""What can be a stream: blocks of rows, whatever was passed."""

from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence, MutableSet
from copy import copy
from itertools import islice, pairwise
from os import PathLike
from typing import Any

import numpy as np

from ..base.blocks import Block, count_rows, cut
from ..core.arrow import arrow_table


def blocks(stream: Any, size: int) -> Iterator[Block]:
    """The stream as blocks of at most `size` rows."""
    if isinstance(stream, tuple):
        if len(stream) not in (2, 3) or all(map(is_example, stream)):
            raise TypeError(
                f"prequential: a stream given as a tuple is (X, y) or (X, y, w), "
                f"got {len(stream)} items. If they are examples (x, y), put them into a list."
            )
        X, y, w = (*stream, None)[:3]
        rows = length(y, "y", "targets")
        if length(X) != rows:
            raise ValueError(f"prequential: X has {length(X):,} rows, y has {rows:,}.")
        if w is not None and length(w, "w", "weights") != rows:
            raise ValueError(f"prequential: y has {rows:,} rows, w has {length(w):,}.")
        for start in range(0, rows, size):
            yield cut((X, y, w), start, min(start + size, rows))
    elif hasattr(stream, "batches"):
        # A reader's own blocks need not be put together.
        for block in stream.blocks() if hasattr(stream, "blocks") else stream.batches(size):
            yield (*block, None)[:3]
    elif hasattr(stream, "__iter__") and not isinstance(stream, (str, bytes, Mapping)):
        yield from gathered(stream, size)
    else:
        file = isinstance(stream, (str, bytes, PathLike))
        hint = " Of a file: onstream.streams.read_csv(path, target=...)." if file else ""
        raise TypeError(
            f"prequential: a stream is (X, y), an iterable of (x, y), or something with "
            f"batches(n), got {type(stream).__name__}.{hint}"
        )


def rows_in(stream: Any) -> int | None:
    """How many rows the stream has, if that is known."""
    if isinstance(stream, tuple):
        return None if len(stream) < 2 or not hasattr(stream[1], "__len__") else len(stream[1])
    try:
        return len(stream)
    except TypeError:
        return None


def gathered(stream: Any, size: int) -> Iterator[Block]:
    """Blocks from single examples (x, y) or (x, y, w); those before an error come before it."""
    items = enumerate(stream)
    failure: BaseException | None = None
    while failure is None:
        X: list[Any] = []
        y: list[Any] = []
        weights: dict[int, Any] = {}  # by place in the block
        try:
            for number, example in islice(items, size):
                if not isinstance(example, (tuple, list)) or len(example) not in (2, 3):
                    raise TypeError(
                        f"prequential: a stream yields (x, y) or (x, y, w); item {number:,} is "
                        f"{example!r:.60}."
                    )
                if len(example) == 3:
                    weights[len(y)] = example[2]
                X.append(example[0])
                y.append(example[1])
        except BaseException as error:
            failure = error
        if y:
            yield X, y, [weights.get(i, 1.0) for i in range(len(y))] if weights else None
        elif failure is None:
            return
    raise failure


def is_example(item: Any) -> bool:
    """Say whether this is surely one example (x, y) or (x, y, w), and no column of a block."""
    if not isinstance(item, tuple) or len(item) not in (2, 3):
        return False
    x, y = item[:2]
    return isinstance(x, (Mapping, list, tuple, np.ndarray)) and np.ndim(y) == 0


def length(rows: Any, name: str = "X", what: str = "rows") -> int:
    """How many rows there are."""
    found = count_rows(rows)
    if found is None:
        raise TypeError(
            f"prequential: {name} must be {what}, in a list, an array or a table, "
            f"got {type(rows).__name__}."
        )
    return found


def single(X: Any) -> list[Any]:
    """The rows one by one, as `predict_one` takes them, each a copy.

    A learner of the user's may change it, and it may wait for its label while X is filled again.
    docs/decisions.md#copies-of-rows
    """
    if isinstance(X, np.ndarray) and X.dtype != object:
        return list(X.copy())
    if isinstance(X, (np.ndarray, list)):
        return list(map(own, X))
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        ends = X.indptr
        return [
            dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
            for a, b in pairwise(ends.tolist())
        ]
    if hasattr(X, "__arrow_c_stream__"):
        return list(arrow_table(X).to_pylist())
    return list(map(own, X))


def own(thing: Any) -> Any:
    """A copy of an example, a target or a block, which its user may change."""
    if type(thing) in (str, int, float, bool):
        return thing
    if isinstance(thing, (MutableMapping, MutableSequence, MutableSet)):
        return copy(thing)
    return thing.copy() if hasattr(thing, "copy") else thing
