"""The rows of a stream in chunks, each of which takes a fraction of a second to work on."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from ..base.blocks import cut, length
from .errors import Unreadable
from .interrupt import CtrlC

MOST_ROWS = 16_384  # of a chunk
SECONDS = 0.2  # that a chunk should take


def chunks(
    stream: Any, ctrl_c: CtrlC | None = None, most: int = MOST_ROWS
) -> Iterator[tuple[Any, ...]]:
    """Blocks of at most `most` rows; smaller while the consumer is slow.

    Ctrl-C ends them after this chunk. Rows of a pipe cannot be read again, so there it ends them
    after the rows that have arrived.
    """
    rows = 64
    for block in read(stream):
        start, stop = 0, length(block)
        while start < stop:
            chunk = cut(block, start, min(start + rows, stop))
            start += length(chunk)
            begun = perf_counter()
            yield chunk
            taken = max(perf_counter() - begun, 1e-9)
            fitting = length(chunk) * SECONDS / taken
            rows = max(1, min(most, 4 * rows, int(fitting)))
            if ctrl_c is not None and ctrl_c.pressed and not stream.live:
                return


def read(stream: Any) -> Iterator[tuple[Any, ...]]:
    """The blocks of a stream. Wrap errors of the reader, so that they differ from a learner's."""
    try:
        yield from stream.blocks()
    except ValueError as error:
        raise Unreadable(str(error)) from error
