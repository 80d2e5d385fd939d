"""Bytes that arrive little by little: from a pipe, a terminal or a socket."""

import os
import select
import stat
from time import monotonic
from typing import Any

PAUSE = 0.01  # seconds without a new byte after which the bytes so far are given
LATEST = 0.05  # seconds after which they are given anyway
LOOK = 0.1  # seconds between two checks whether to stop
LAST = 1 << 20  # bytes read at most after a stop was requested: what a pipe may hold


class Stop:
    """Set by another thread, or in a signal's handler: what has arrived is the end."""

    requested = False


def is_live(file: Any) -> bool:
    """Say whether a file is no regular one, so that its end is not known yet."""
    try:
        return not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):  # in memory: no file of the system's
        return False


class LiveFile:
    """A file that grows: reads what is there, and waits only if that is nothing."""

    def __init__(self, file: Any, stop: Stop) -> None:
        self._buffered = file  # standard input may hold bytes that were read ahead
        self._file = getattr(file, "raw", file)
        self._stop = stop
        self._left = LAST
        self._fresh = True

    def read(self, n: int) -> bytes:
        """Up to n bytes: at least one, or none at the end."""
        room = bytearray(n)
        return bytes(room[: self.fill(memoryview(room), all_of_it=False)])

    def fill(self, room: memoryview, *, all_of_it: bool = True) -> int:
        """Put into `room` what is there and what follows without a pause: how many bytes."""
        got, begun = 0, 0.0
        while got < len(room) and self._more(got, begun):
            part = self._some(room[got:])
            if part == 0:
                break
            begun = begun or monotonic()
            got += part
            if not all_of_it:
                break
        return got

    def _more(self, got: int, begun: float) -> bool:
        """Wait for more bytes, for as long as it is worth it."""
        if got and not self._stop.requested:
            return self._ready(min(PAUSE, begun + LATEST - monotonic()))
        while not self._stop.requested:
            if self._ready(LOOK):
                return True
        return self._left > 0 and self._ready(0.0)

    def _ready(self, seconds: float) -> bool:
        """Say whether a read would not block; wait for that at most `seconds`."""
        if not hasattr(select, "poll"):
            return seconds == LOOK  # this system has no poll: block in the read
        poll = select.poll()
        poll.register(self._file.fileno(), select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000.0))

    def _some(self, room: memoryview) -> int:
        if self._fresh:
            self._fresh = False
            if self._buffered is not self._file:  # empties its buffer; from then on it stays so
                data = self._buffered.read1(len(room))
                room[: len(data)] = data
                return len(data)
        part = int(self._file.readinto(room) or 0)
        if self._stop.requested:
            self._left -= part
        return part

    def close(self) -> None:
        """Let go of the file."""
        self._buffered.close()
