"""A file of lines that somebody goes on writing to: read from a place, and waited for."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import sleep

from .files import LONGEST
from .live_file import Stop

LOOK = 0.2  # seconds between two looks at a file
BEGINNING = 1024  # bytes by which a file is known again


@dataclass(frozen=True)
class Place:
    """A place between two lines of a file, and what the file is known by."""

    offset: int = 0  # bytes before it
    line: int = 1  # number of the line that comes next
    file: int = 0  # number of the file in its file system
    beginning: str = ""  # SHA-256 of the first bytes, those before the place

    def within(self, name: str) -> bool:
        """Say whether a file has this place: it is as long at least, and begins alike."""
        with open(name, "rb") as file:
            whole = os.fstat(file.fileno()).st_size >= self.offset
            return whole and self.beginning == sum_of(file.read(BEGINNING), self.offset)


def sum_of(beginning: bytes, offset: int) -> str:
    """The sum of the bytes at the beginning of a file, of those before `offset`; "" of none."""
    known = beginning[:offset]
    return hashlib.sha256(known).hexdigest() if known else ""


class Growing:
    """The bytes of a file from a place on, whole lines only; at its end, those that are added.

    `waiting` is called whenever all that is there was given. Reading ends when `stop` is
    requested, if `once` at the end of what is there, or after the last line of a file that was
    renamed and replaced, or cut short; `ended` then says so.
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
        self._beginning = self._raw.read(BEGINNING)
        self._file = os.fstat(self._raw.fileno()).st_ino
        self._line = place.line
        self._lines = {place.offset: place.line}  # the line that follows each place given so far
        self.done = place.offset

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
        """The place there, at the end of lines that were given."""
        return Place(offset, self._lines[offset], self._file, sum_of(self._beginning, offset))

    def into(self, room: memoryview) -> int:
        """Put the next lines into `room`; how many bytes they are, 0 at the end."""
        if self.head:
            head, self.head = self.head, b""
            room[: len(head)] = head
            return len(head)
        while not self.stop.requested:
            self._raw.seek(self.done)
            data = self._raw.read(len(room)) or b""
            end = data.rfind(b"\n") + 1
            if not end and (self.ended or len(data) == len(room)):  # a line that ends later
                end = len(data)
            if end:
                if self.done < BEGINNING:
                    self._beginning = (self._beginning[: self.done] + data)[:BEGINNING]
                room[:end] = data[:end]
                self.done += end
                self._line += data.count(b"\n", 0, end)
                self._lines[self.done] = self._line
                return end
            if self.ended or self.once:
                return 0
            self._lines = {self.done: self._line}
            self.waiting()
            self._look()
            if not self.ended:
                self.pause(LOOK)
        return 0

    def _look(self) -> None:
        """Note whether another file has the name now, or this one is shorter than it was."""
        try:
            now = os.stat(self.name)
        except FileNotFoundError:  # renamed; the new one comes soon
            return
        if now.st_ino != self._file:
            self.ended = "replaced"
        elif now.st_size < self.done:
            self.ended = "cut short"

    def cut_off(self) -> bool:
        """False: no line is given before it is whole, but for the last one of a file."""
        return False

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()
