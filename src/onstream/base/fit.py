"""`fit`: incremental optimisation over a static block, or over a stream, in epochs."""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..core.arrow import arrow_table
from ..core.coerce import coerce_weights, in_row, row_error
from ..core.frames import read_table
from ..core.rows import check_weights, shuffled_csr
from ..core.sparse import SparseBlock
from . import blocks
from .checks import flag, whole
from .errors import renumbered

STREAM_BLOCK = 4096  # rows per batch of a stream


def fit(learner: Any, X: Any, y: Any, w: Any, epochs: int, shuffle: bool, seed: Any) -> None:
    """Go over a static block `(X, y)`, or over the stream X if y is None, `epochs` times."""
    whole(learner, "epochs", epochs, least=1)
    flag(learner, "shuffle", shuffle)
    if not isinstance(seed, np.random.Generator):
        whole(learner, "seed", seed, least=0)
    if y is None:
        fit_stream(learner, X, w, epochs)
    else:
        fit_block(learner, X, y, w, epochs, np.random.default_rng(seed) if shuffle else None)


def fit_stream(learner: Any, X: Any, w: Any, epochs: int) -> None:
    """Learn a stream in its own order."""
    refuse_weights(learner, w)
    refuse_endless(learner, X)
    who = type(learner).__name__
    if epochs > 1 and iter(stream_of(learner, X)) is X:
        raise TypeError(
            f"{who}: an iterator can be read once only; for epochs={epochs} "
            f"pass something that can be read again, such as a list."
        )
    for _ in range(epochs):
        if hasattr(X, "batches"):  # a stream that can be read in blocks
            before = 0
            for block in X.blocks() if hasattr(X, "blocks") else X.batches(STREAM_BLOCK):
                with rows_as(partial(operator.add, before)):
                    learner.learn_many(*block)
                before += len(block[1])
            continue
        for row, pair in enumerate(stream_of(learner, X)):
            example = checked_pair(learner, row, pair)
            try:
                learner.learn_one(*example)
            except (TypeError, ValueError) as error:
                if not str(error).startswith(f"{who}: "):  # the user's own
                    raise
                raise in_row(error, who, row) from None


def fit_block(
    learner: Any, X: Any, y: Any, w: Any, epochs: int, generator: np.random.Generator | None
) -> None:
    """Learn a block, in a random order in each epoch; without a generator, in its own order."""
    who = type(learner).__name__
    X = block_of(learner, X)
    rows = count_rows(learner, "X", X)
    if rows != count_rows(learner, "y", y):
        raise ValueError(f"{who}: X has {rows:,} rows, y has {count_rows(learner, 'y', y):,}.")
    w = coerce_weights(who, w)
    check_weights(who, rows, w)
    for _ in range(epochs):
        if generator is None:
            learner.learn_many(X, y, w)
            continue
        order = generator.permutation(rows)
        shuffled = take_rows(learner, X, order), take_rows(learner, y, order)
        with rows_as(order.item):
            learner.learn_many(*shuffled, None if w is None else w[order])


@contextmanager
def rows_as(count: Callable[[int], int]) -> Iterator[None]:
    """In errors about a row of a block, name the row `count(row)`: as the user counts it."""
    try:
        yield
    except (TypeError, ValueError, MemoryError) as error:
        if hasattr(error, "row"):
            row = count(error.row)
            error.args, error.row = (renumbered(error, row),), row
        raise


def stream_of(owner: object, X: Any) -> Any:
    """X, refused if it cannot be a stream of (x, y)."""
    if isinstance(X, (str, bytes, dict)) or hasattr(X, "shape") or not hasattr(X, "__iter__"):
        raise TypeError(
            f"{type(owner).__name__}: without y, fit takes a stream of (x, y), "
            f"got {type(X).__name__}."
        )
    return pairs_of(owner, X) if isinstance(X, (list, tuple)) else X


def refuse_weights(owner: object, w: Any) -> None:
    """Refuse weights beside a stream."""
    if w is not None:
        raise TypeError(
            f"{type(owner).__name__}: w is for a block, fit(X, y, w=w); without y, X is a stream "
            f"of (x, y), read row after row."
        )


def pairs_of(owner: object, rows: Any) -> Any:
    """A list, refused unless all items are pairs (x, y)."""
    for i, pair in enumerate(rows):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"{type(owner).__name__}: without y, fit takes a stream of (x, y); "
                f"item {i} is {pair!r:.60}."
            )
    return rows


def checked_pair(owner: object, row: int, pair: Any) -> Any:
    """Row number `row` of a stream, refused if it is neither (x, y) nor (x, y, w)."""
    if not isinstance(pair, (tuple, list)) or not 2 <= len(pair) <= 3:
        wanted = f"without y, fit takes a stream of (x, y) or (x, y, w), got {pair!r:.60}."
        raise row_error(TypeError, type(owner).__name__, row, wanted)
    return pair


def columns_of(owner: object, X: Any) -> tuple[list[Any], list[Any], list[Any] | None]:
    """The examples, targets and weights, if any, of a whole stream of (x, y) or (x, y, w)."""
    refuse_endless(owner, X)
    stream = X if isinstance(X, (list, tuple)) else stream_of(owner, X)
    rows = [checked_pair(owner, row, pair) for row, pair in enumerate(stream)]
    w = [pair[2] if len(pair) == 3 else 1.0 for pair in rows]
    weighted = any(len(pair) == 3 for pair in rows)
    return [pair[0] for pair in rows], [pair[1] for pair in rows], w if weighted else None


def count_rows(owner: object, name: str, X: Any) -> int:
    """How many rows X has."""
    rows = None if isinstance(X, (str, bytes, dict)) else blocks.count_rows(X)
    if rows is None:
        raise TypeError(
            f"{type(owner).__name__}: {name} must be a block of rows, got {type(X).__name__}; "
            f"a stream of (x, y) goes into fit alone."
        )
    return rows


def refuse_endless(owner: object, X: Any) -> None:
    """Refuse a stream without end."""
    if getattr(X, "endless", False):
        raise ValueError(
            f"{type(owner).__name__}: {type(X).__name__} is a stream without end; fit a part of "
            f"it, such as {type(X).__name__}(...).limit(10_000)."
        )


def block_of(owner: object, X: Any) -> Any:
    """X; a frame as an Arrow table, which can be shuffled and still knows its index."""
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
        return read_table(type(owner).__name__, X)[0]
    return X


def take_rows(owner: object, X: Any, order: Any) -> Any:
    """The rows of X in another order."""
    if hasattr(X, "tocsr"):
        return X.tocsr()[order]
    if hasattr(X, "indptr"):
        return shuffled_csr(type(owner).__name__, X, order)
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow as pa

        if not isinstance(X, (pa.Table, pa.ChunkedArray)):
            X = arrow_table(X) if hasattr(X, "columns") else np.asarray(X)
    elif not isinstance(X, (list, tuple, SparseBlock)):
        X = np.asanyarray(X)  # a mask stays, and is seen where rows are learned
    return blocks.take_part(X, order)
