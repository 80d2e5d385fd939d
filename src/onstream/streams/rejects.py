"""What happens to lines that cannot be read: an error, a counted skip, or a file of them."""

import os
import re
from typing import IO, Any

from .arriving import Stop
from .files import PathLike

UNSEEN = re.compile(r"[\x00-\x1f\x7f]+")  # a tab comes between the reason and the line
REMEMBERED = 10  # messages kept of rejected lines


def plain_on_error(who: str, on_error: Any) -> str | os.PathLike[str]:
    """Check `on_error`: "raise", "skip" or a path."""
    if isinstance(on_error, os.PathLike) or on_error in ("raise", "skip"):
        return on_error  # type: ignore[no-any-return]
    if isinstance(on_error, str) and any(mark in on_error for mark in "./\\"):
        return on_error
    raise ValueError(
        f"{who}: on_error must be 'raise', 'skip' or the path of a file for the rejected lines, "
        f"such as 'rejected.txt', got {on_error!r:.80}."
    )


class Tally:
    """Counts what was read and what was not, in one iteration over a stream."""

    def __init__(self, on_error: PathLike = "raise") -> None:
        self.on_error = on_error
        self.rows = 0
        self.rejected = 0
        self.bytes_done = 0
        self.messages: list[str] = []
        self.warnings: list[str] = []  # that the user has not heard yet
        self.stop = Stop()  # nobody wants to wait for more
        self._file: IO[bytes] | None = None
        if on_error not in ("raise", "skip"):
            self._file = open(on_error, "wb")  # noqa: SIM115 - closed by `close`

    def reject(self, place: str, reason: str, text: bytes = b"", *, rows: int = 1) -> None:
        """A line, or row, or several of them, are left out; or an error, if that is wanted."""
        message = f"{place}: {reason}"
        if self.on_error == "raise":
            raise ValueError(message)
        self.rejected += rows
        if len(self.messages) < REMEMBERED:
            self.messages.append(message)
        if self._file is not None:
            told = UNSEEN.sub(" ", message).encode(errors="replace")
            self._file.write(told + b"\t" + text.rstrip(b"\r\n") + b"\n")

    def close(self) -> None:
        """Finish the file of rejected lines."""
        if self._file is not None:
            self._file.close()


def at_line(name: str, line: int, column: Any = None) -> str:
    """The place that a message is about."""
    where = "" if column is None else f', column "{column}"'
    return f"{name}: line {line:,}{where}"


def at_row(name: str, row: int, column: Any = None) -> str:
    """The same where there are no lines; rows count from 1, too."""
    where = "" if column is None else f', column "{column}"'
    return f"{name}: row {row:,}{where}"
