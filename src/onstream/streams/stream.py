"""What a stream is: examples in order, one by one or in blocks."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..base.blocks import Block, cut, examples, join, length
from ..base.checks import whole

ROWS = 1000  # of a batch, by default
HANDY = 4096  # rows of a block where the stream has no size of its own


class Progress(NamedTuple):
    """How far an iteration has come."""

    rows: int = 0
    rejected: int = 0
    bytes_done: int = 0


class Stream(ABC):
    """An iterable of `(x, y)`, or `(x, y, w)` if rows have weights, that also offers blocks.

    Iterating gives dicts; `batches(n)` gives the same rows as blocks of n for `learn_many` and
    its like. Each iteration starts again from the first row (but for standard input and
    iterators, which can be read once). The counters say how far the latest one has come.
    """

    files: Sequence[str] = ()  # that are read; "-" is standard input

    @property
    def _who(self) -> str:
        """What messages call it: the function that made it, or its class."""
        return type(self).__name__

    @property
    def endless(self) -> bool:
        """Say whether it never ends, so that only a part of it can be gone over."""
        return False

    def batches(self, n: int = ROWS) -> Iterator[Block]:
        """Yield blocks `(X, y)` or `(X, y, w)` of n rows; the last one may be shorter."""
        whole(self._who, "n", n, least=1)
        return self._batches(n)

    @abstractmethod
    def _batches(self, n: int) -> Iterator[Block]:
        """Yield blocks of n rows, from the first row on."""

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of any size: the quickest way through the stream."""
        return self.batches(HANDY)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for block in self.blocks() if self.live else self.batches():
            yield from examples(block)

    @property
    def live(self) -> bool:
        """Say whether rows arrive while we wait: from a pipe, a terminal or a socket."""
        return False

    def halt(self) -> None:  # noqa: B027 - most streams wait for nothing
        """Wait for no more rows: what has arrived is the end of the latest iteration."""

    def expect(self, expected: Any) -> bool:
        """Set what is known of the columns; False if there are no columns."""
        return False

    # -- how far the latest iteration has come

    @property
    def _progress(self) -> Progress:
        return Progress()

    @property
    def rows(self) -> int:
        """Rows read so far, without the rejected ones."""
        return self._progress.rows

    @property
    def rejected(self) -> int:
        """Lines that could not be read and were left out (`on_error`)."""
        return self._progress.rejected

    @property
    def bytes_done(self) -> int:
        """Bytes of the files read so far, compressed where they are."""
        return self._progress.bytes_done

    @property
    def bytes_total(self) -> int | None:
        """Bytes of all files; None if unknown, as for standard input."""
        return None

    @property
    def messages(self) -> list[str]:
        """Why the first few lines were left out."""
        return []

    # -- parts of a stream

    def limit(self, n: int) -> "Stream":
        """The stream of the first n rows."""
        from .arrange import Slice

        return Slice(self, limit=n)

    def skip(self, n: int) -> "Stream":
        """The stream without its first n rows."""
        from .arrange import Slice

        return Slice(self, skip=n)

    def shuffled(self, buffer: int = 10_000, seed: int = 0) -> "Stream":
        """The stream in random order, as far as a buffer of `buffer` rows allows."""
        from .arrange import Shuffled

        return Shuffled(self, buffer=buffer, seed=seed)

    def repeated(self, epochs: int) -> "Stream":
        """The stream `epochs` times over."""
        from .arrange import Repeated

        return Repeated(self, epochs=epochs)

    def block(self, n: int) -> Block:
        """The first n rows (or all there are) as one block."""
        for block in self.limit(n).batches(n):
            return block
        raise ValueError(f"{type(self).__name__}: there are no rows.")


class Cursor:
    """Reads on in a stream, any number of rows at a time."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._block: Block | None = None
        self._at = 0
        self._error: Exception | None = None

    def take(self, n: int) -> Block | None:
        """The next n rows, fewer at the end, None after it. Rows before an error are given."""
        parts: list[Block] = []
        while n > 0:
            if self._block is None:
                if self._error is None:
                    try:
                        self._block = next(self._blocks, None)
                    except Exception as error:
                        self._error = error
                if self._error is not None and not parts:
                    raise self._error
                self._at = 0
                if self._block is None:
                    break
            rows = length(self._block)
            stop = min(rows, self._at + n)
            if stop > self._at:
                parts.append(cut(self._block, self._at, stop))
            n -= stop - self._at
            self._at = stop
            if stop == rows:
                self._block = None
        return join(parts) if parts else None


def regrouped(blocks: Iterator[Block], n: int) -> Iterator[Block]:
    """The same rows in blocks of n."""
    cursor = Cursor(blocks)
    while (block := cursor.take(n)) is not None:
        yield block
