"""What happens to lines that cannot be read: an error, a counted skip, or a file of them."""

import os
import re
from bisect import bisect
from dataclasses import dataclass
from typing import IO, Any

from .files import PathLike
from .live_file import Stop
from .stream import Progress

UNSEEN = re.compile(r"[\x00-\x1f\x7f]+")  # a tab comes between the reason and the line
REMEMBERED = 10  # messages kept of rejected lines


def coerce_on_error(who: str, on_error: Any) -> str | os.PathLike[str]:
    """Check `on_error`: "raise", "skip" or a path."""
    if isinstance(on_error, os.PathLike) or on_error in ("raise", "skip"):
        return on_error
    if isinstance(on_error, str) and any(mark in on_error for mark in "./\\"):
        return on_error
    raise ValueError(
        f"{who}: on_error must be 'raise', 'skip' or the path of a file for the rejected lines, "
        f"such as 'rejected.txt', got {on_error!r:.80}."
    )


@dataclass(frozen=True)
class Place:
    """What a message is about: `name: line 1,234, column "c"`."""

    name: str
    kind: str
    number: int  # from 1
    column: Any = None

    def __str__(self) -> str:
        where = "" if self.column is None else f', column "{self.column}"'
        return f"{self.name}: {self.kind} {self.number:,}{where}"


class Tally:
    """Counts what was read and what was not, in one iteration over a stream."""

    def __init__(self, on_error: PathLike = "raise") -> None:
        self.on_error = on_error
        self.rows = 0
        self.rejected = 0
        self.bytes_done = 0
        self.messages: list[str] = []  # of the first lines, in their order
        self._order: list[tuple[int, int]] = []  # of the messages: file, line
        self._files: dict[str, int] = {}  # with rejected lines; they come one after the other
        self.warnings: list[str] = []  # not given to the user yet
        self.stop = Stop()  # set when no more rows are wanted
        self._file: IO[bytes] | None = None
        if on_error not in ("raise", "skip"):
            self._file = open(on_error, "wb")  # noqa: SIM115 - closed by `close`

    def reject(self, place: Place, reason: str, text: bytes = b"", *, rows: int = 1) -> None:
        """A line, or row, or several of them, are left out; or an error, if that is wanted.

        Lines with an obvious flaw may be rejected before others that stand above them.
        """
        message = f"{place}: {reason}"
        if self.on_error == "raise":
            raise ValueError(message)
        self.rejected += rows
        order = (self._files.setdefault(place.name, len(self._files)), place.number)
        at = bisect(self._order, order)
        if at < REMEMBERED:
            self._order.insert(at, order)
            self.messages.insert(at, message)
            del self._order[REMEMBERED:], self.messages[REMEMBERED:]
        if self._file is not None:
            shown = UNSEEN.sub(" ", message).encode(errors="replace")
            self._file.write(shown + b"\t" + text.rstrip(b"\r\n") + b"\n")

    @property
    def progress(self) -> Progress:
        """What has been counted so far."""
        return Progress(self.rows, self.rejected, self.bytes_done)

    def close(self) -> None:
        """Finish the file of rejected lines."""
        if self._file is not None:
            self._file.close()


def at_line(name: str, line: int, column: Any = None) -> Place:
    """A line of a file, from 1."""
    return Place(name, "line", line, column)


def at_row(name: str, row: int, column: Any = None) -> Place:
    """The same where there are no lines; rows count from 1, too."""
    return Place(name, "row", row, column)
