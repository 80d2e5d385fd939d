"""A file of lines that somebody goes on writing to: read from a place, and waited for."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import FileIO
from time import sleep

from .files import LONGEST
from .live_file import Stop

LOOK = 0.2  # seconds between two looks at a file
CUT_SHORT = "cut short"
KNOWN = 1024  # bytes at the beginning and before a place, by which a file is known again


@dataclass(frozen=True)
class Place:
    """A place between two lines of a file, and what the file is known by."""

    offset: int = 0  # bytes before it
    line: int = 1  # number of the line that comes next
    file: int = 0  # number of the file in its file system
    known_by: str = ""  # SHA-256 of the first bytes of the file, and of the last before the place
    name: str = ""  # of the file, without its folder

    def within(self, name: str) -> bool:
        """Say whether a file has this place."""
        with open(name, "rb", buffering=0) as file:
            return self.fits(file)

    def fits(self, file: FileIO) -> bool:
        """The same of an open file: it is as long at least, and the bytes before are alike."""
        long_enough = os.fstat(file.fileno()).st_size >= self.offset
        return long_enough and self.known_by == sum_of(*edges(file, self.offset))


def edges(file: FileIO, offset: int) -> tuple[bytes, bytes]:
    """The first bytes of a file and the last before `offset`.

    The first alone would not do: they may be a long line of names, the same in all files.
    """
    n = min(KNOWN, offset)
    file.seek(0)
    first = file.read(n) or b""
    file.seek(offset - n)
    return first, file.read(n) or b""


def sum_of(first: bytes, last: bytes) -> str:
    """The sum of the bytes by which a file is known; "" of none."""
    return hashlib.sha256(first + last).hexdigest() if first else ""


class Growing:
    """The bytes of a file from a place on, whole lines only; at its end, those that are added.

    `waiting` is called whenever all that is there was given. Reading ends when `stop` is
    requested, if `once` at the end of what is there, after the last line of a file that was
    renamed and replaced, or at once if it was cut short; `ended` then says so.
    """

    def __init__(
        self,
        name: str,
        place: Place,
        *,
        once: bool = False,
        waiting: Callable[[], None] = lambda: None,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self.name, self.once = name, once
        self.waiting, self.pause = waiting, pause
        self.stop = Stop()
        self.head = b""  # a line that is given first, whatever the place: the names of columns
        self.ended = ""
        self._raw = open(name, "rb", buffering=0)  # noqa: SIM115 - closed by `close`
        self._file = os.fstat(self._raw.fileno()).st_ino
        self._first, self._last = edges(self._raw, place.offset)
        self._line = place.line
        self._places = {place.offset: replace(place, file=self._file)}  # after lines that are given
        self._given = place.offset  # bytes given; perhaps a part of a line that is very long
        self.done = place.offset  # bytes of whole lines that are given

    @property
    def size(self) -> int:
        """Bytes of the file now, whatever its name has become."""
        return os.fstat(self._raw.fileno()).st_size

    @property
    def first_line(self) -> int:
        """The number of the first line that is given."""
        return self._line - bool(self.head)

    def begin_with_head(self) -> None:
        """Give the first line that is not blank before all others, as it names the columns."""
        at = self._raw.seek(0)
        while self.done > at:
            data = self._raw.read(LONGEST)
            line = data[: data.find(b"\n") + 1]
            if line.strip() or not line:
                self.head = line
                return
            at = self._raw.seek(at + len(line))

    def place(self, offset: int) -> Place:
        """The place there, at the end of lines that were given; none before it is asked for now."""
        self._places = {at: place for at, place in self._places.items() if at >= offset}
        return self._places[offset]

    def into(self, room: memoryview) -> int:
        """Put the next lines into `room`; how many bytes they are, 0 at the end."""
        most = len(room) - 1  # never full: `line_blocks` then hands over all lines before a pause
        if self.head:
            head, self.head = self.head[:most], self.head[most:]
            room[: len(head)] = head
            return len(head)
        while not self.stop.requested:
            self._look()
            if self.ended == CUT_SHORT:  # what stands there now does not go on from the place
                break
            self._raw.seek(self._given)
            data = self._raw.read(most) or b""
            end = data.rfind(b"\n") + 1
            whole = end > 0
            if not whole and (self.ended or len(data) == most):  # a line that ends later, or never
                end = len(data)
            if end:
                room[:end] = data[:end]
                self._give(data, end)
                if whole:
                    self._line_ends()
                return end
            if self.ended:
                self._line_ends()
            if self.ended or self.once:
                break
            self.waiting()
            self.pause(LOOK)
        self.stop.requested = True  # so a reader does not complain of a file that is still empty
        return 0

    def _give(self, data: bytes, end: int) -> None:
        """Count the bytes before `end`, which are given."""
        self._given += end
        self._line += data.count(b"\n", 0, end)
        if len(self._first) < KNOWN:
            self._first = (self._first + data[: min(end, KNOWN)])[:KNOWN]
        self._last = (self._last + data[max(0, end - KNOWN) : end])[-KNOWN:]

    def _line_ends(self) -> None:
        """Note the place after what was given."""
        self.done = self._given
        known_by = sum_of(self._first, self._last)
        self._places[self.done] = Place(self.done, self._line, self._file, known_by)

    def _look(self) -> None:
        """Note whether another file has the name now, or this one was emptied and begun again.

        It may be longer again than it was. So this precedes each reading, not each line.
        """
        if self.ended:
            return
        try:
            now = os.stat(self.name).st_ino
        except FileNotFoundError:  # renamed; the new one comes soon
            now = self._file
        if now != self._file:
            self.ended = "replaced"
        elif self.size < self._given or not self._places[self.done].fits(self._raw):
            self.ended = CUT_SHORT

    def cut_off(self) -> bool:
        """True if a part of a line was given that has no end yet."""
        return self._given > self.done

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()
