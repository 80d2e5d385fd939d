"""What readers share: files one after the other, counting, reading ahead, the order of rows."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from ..base.blocks import Block, length
from ..core.data_warning import warn_of_data
from .arrange import Repeated, Shuffled, Slice
from .columns import ColumnOptions, Schema
from .files import Bytes, Lines, arrives, find_files, line_blocks, same_file, total_bytes
from .growing import Growing
from .live_file import Stop
from .prefetch import prefetched
from .rejects import Tally, at_line, coerce_on_error
from .stream import Progress, Stream, regrouped


class Reader(Stream):
    """A stream out of files. The next blocks are parsed while this one is used."""

    _progress = Progress()  # when the latest block was handed over

    def __init__(self, path: Any, on_error: Any) -> None:
        self.files = find_files(self._who, path)
        self.on_error = coerce_on_error(self._who, on_error)
        kept = self.on_error not in ("raise", "skip")
        if kept and any(same_file(self.on_error, file) for file in self.files):
            raise ValueError(
                f"{self._who}: on_error={os.fspath(self.on_error)!r} is the file that is read; "
                f"name another one for the rejected lines."
            )
        self._total = total_bytes(self.files)
        self._messages: list[str] = []
        self._warned: set[str] = set()
        self._stop = Stop()
        self._growing: Growing | None = None

    @abstractmethod
    def _blocks(self, tally: Tally) -> Iterator[Block]:
        """Blocks of any size; `tally` counts bytes and rejected lines."""

    def _batches(self, n: int) -> Iterator[Block]:
        return self._ahead(lambda blocks: regrouped(blocks, n))

    def blocks(self) -> Iterator[Block]:
        """Yield blocks as they come out of the parser."""
        return self._ahead(lambda blocks: blocks)

    def _ahead(self, arrange: Callable[[Iterator[Block]], Iterator[Block]]) -> Iterator[Block]:
        """The blocks, parsed in another thread, and the counters when they are handed over."""
        tally = Tally(self.on_error)
        self._progress = Progress()
        self._messages = tally.messages
        self._stop = tally.stop

        def counted() -> Iterator[tuple[Block | None, Progress]]:
            try:
                for block in arrange(self._blocks(tally)):
                    tally.rows += length(block)
                    yield block, tally.progress
                yield None, tally.progress
            finally:
                tally.close()

        for block, self._progress in prefetched(counted(), tally.stop):
            self._warn(tally)
            if block is not None and length(block):
                yield block

    def follow(self, growing: Growing) -> Iterator[Block]:
        """Yield blocks of a file that grows, which is read in place of the one that was named.

        They are parsed here, not ahead: while `growing` waits, all before was handed over.
        `bytes_done` says up to where the lines of the latest block reach.
        """
        tally = Tally(self.on_error)
        self._growing, self._messages = growing, tally.messages
        self._stop = tally.stop = growing.stop  # it may be requested already
        for block in self._blocks(tally):
            tally.rows += length(block)
            self._progress = tally.progress
            self._warn(tally)
            if length(block):
                yield block
        self._progress = tally.progress

    def _opened(self, file: str, tally: Tally) -> Any:
        """The bytes of a file."""
        return self._growing or Bytes(file, tally.stop)

    def _warn(self, tally: Tally) -> None:
        """Give the warnings of the thread that reads, each once."""
        while tally.warnings:
            message = tally.warnings.pop(0)
            if message not in self._warned:
                self._warned.add(message)
                warn_of_data(message)

    @property
    def live(self) -> bool:
        """Say whether rows arrive while we wait: from a pipe, a terminal or a socket."""
        return any(arrives(file) for file in self.files)

    def halt(self) -> None:
        """Wait for no more rows: what has arrived is the end."""
        self._stop.requested = True

    @property
    def bytes_total(self) -> int | None:
        """Bytes of all files; None if unknown, as for standard input."""
        return self._total

    @property
    def messages(self) -> list[str]:
        """Why the first few lines were left out."""
        return list(self._messages)

    def __repr__(self) -> str:
        names = self.files[0] if len(self.files) == 1 else f"{len(self.files)} files"
        return f"<{type(self).__name__} of {names}>"


class ColumnReader(Reader):
    """A stream out of files whose rows have columns."""

    def __init__(self, path: Any, target: Any, options: Mapping[str, Any]) -> None:
        self.columns = ColumnOptions(self._who, target, options)
        super().__init__(path, options["on_error"])

    def expect(self, expected: Schema) -> bool:
        """Set what is known of the columns."""
        self.columns.expected = expected
        return True


class LineReader(ColumnReader):
    """A stream out of text files, a row of columns on each line."""

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        for file in self.files:
            before = tally.bytes_done
            with closing(self._opened(file, tally)) as source:
                yield from self._file(source.name, self._readable(source, tally), tally)
            tally.bytes_done = before + source.done

    def _readable(self, source: Bytes, tally: Tally) -> Iterator[Lines]:
        """The lines of a file, without those that are rejected at once: cut short or too long."""
        before = tally.bytes_done
        for lines in self._lines(source):
            tally.bytes_done = before + lines.done
            if lines.problem:
                tally.reject(at_line(source.name, lines.first), lines.problem, lines.data)
            else:
                yield lines

    def _lines(self, source: Bytes) -> Iterator[Lines]:
        return line_blocks(source)

    @abstractmethod
    def _file(self, name: str, blocks: Iterator[Lines], tally: Tally) -> Iterator[Block]:
        """The rows on the lines of one file."""


def arranged(stream: Stream, options: Mapping[str, Any]) -> Stream:
    """A stream with the options that all readers have, in this order."""
    skip, limit, shuffle = options["skip"], options["limit"], options["shuffle"]
    if skip != 0 or limit is not None:
        stream = Slice(stream, skip=skip, limit=limit)
    if shuffle is not None:
        stream = Shuffled(stream, buffer=shuffle, seed=options["seed"])
    if options["epochs"] != 1:
        stream = Repeated(stream, epochs=options["epochs"])
    return stream
