"""Files as bytes: several by pattern, compressed or not, standard input, whole lines at a time."""

import glob
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, TypeAlias

from ._sparse_text import unfilled
from .live_file import LiveFile, Stop, is_live

PathLike: TypeAlias = str | os.PathLike[str]

BOM = b"\xef\xbb\xbf"  # Windows begins UTF-8 with it; it is no part of the first line
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
CHUNK = 1 << 20  # bytes of text handled at a time
SLACK = 80  # bytes after the text that a parser may look at
STEP = 1 << 16  # bytes decompressed at a time
UNWRITTEN = b"\xff" * STEP  # in no encoding does a line end in it
MOMENT = 0.2  # seconds
LONGEST = 1 << 24  # bytes of a line; a longer one is rejected, so that memory stays bounded


def find_files(who: str, path: Any) -> list[str]:
    """The files that are meant: one path, a pattern, or a list of them; "-" is standard input."""
    if isinstance(path, (list, tuple)):
        files = [file for one in path for file in find_files(who, one)]
        if not files:
            raise ValueError(f"{who}: there are no files in the list.")
        return files
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{who}: a path must be a string, got {type(path).__name__}.")
    name = os.fspath(path)
    if name == "-" or os.path.exists(name):
        if name != "-" and os.path.isdir(name):
            raise ValueError(f"{who}: {name} is a folder; name the files, such as {name}/*.csv.")
        return [name]
    found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if not found:
        raise FileNotFoundError(f"{who}: no such file: {name}")
    return found


def same_file(one: PathLike, other: PathLike) -> bool:
    """Say whether two names, by whatever spelling or link, are one file; "-" is standard input."""
    pair = [0 if name == "-" else name for name in (one, other)]
    return all(map(os.path.isfile, pair)) and os.path.samefile(*pair)


def suffix(name: str) -> str:
    """The ending that stands for the format, without that of the compression."""
    stem, end = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if end in SUFFIXES else end


def total_bytes(files: list[str]) -> int | None:
    """Bytes of all files; None if one of them has no size."""
    if not all(os.path.isfile(file) for file in files):
        return None
    return sum(os.path.getsize(file) for file in files)


def arrives(file: str) -> bool:
    """Say whether this is a pipe, a terminal or a socket rather than a file."""
    return is_live(sys.stdin.buffer) if file == "-" else not os.path.isfile(file)


def opened(name: str) -> Any:
    """A file without a buffer. A named pipe is opened even if it has no writer yet."""
    if sys.platform == "linux" and stat.S_ISFIFO(os.stat(name).st_mode):
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(handle, True)  # `LiveFile` asks before it reads
        return open(handle, "rb", buffering=0)
    return open(name, "rb", buffering=0)


class Bytes:
    """The bytes of a file, decompressed if its first bytes or its name say so.

    Of a pipe, what has arrived is given at once. `stop` ends it there, in the middle of a line
    perhaps.
    """

    first_line = 1  # the number of the first line
    closed = False  # Arrow asks

    def __init__(self, name: str, stop: Stop | None = None) -> None:
        self.name = "standard input" if name == "-" else name
        self.stop = stop or Stop()
        self._raw: Any = sys.stdin.buffer if name == "-" else opened(name)
        self._live: LiveFile | None = None
        if is_live(self._raw):
            self._raw = self._live = LiveFile(self._raw, self.stop)
        self._head = self._first_bytes()
        self.done = 0  # bytes read, compressed where they are
        kind = next((k for magic, k in MAGIC.items() if self._head.startswith(magic)), None)
        if kind is None and self._head:
            kind = SUFFIXES.get(os.path.splitext(name.lower())[1])
        self._stream: Any = None
        self._error: OSError | None = None  # raised after all bytes before it were given
        if kind is not None:
            import pyarrow as pa

            self._stream = pa.CompressedInputStream(pa.PythonFile(self, mode="r"), kind)

    def _first_bytes(self) -> bytes:
        """Enough to know a compressed file by; a short line is enough, too."""
        if self._live is None:
            return self._raw.read(4) or b""
        head = b""
        while len(head) < 4 and b"\n" not in head:
            part = self._live.read(STEP)
            if not part:
                break
            head += part
        return head

    def read(self, n: int) -> bytes:
        """The next bytes as they are in the file."""
        if self._head:
            data, self._head = self._head[:n], self._head[n:]
        else:
            data = self._raw.read(n) or b""
        self.done += len(data)
        return data

    def into(self, room: memoryview) -> int:
        """Put the next bytes, decompressed, into `room`; how many they are, 0 at the end.

        What comes before damage is given first.
        """
        got = 0
        if self._live is not None and self._stream is None:
            if not self._head:
                got = self._live.fill(room)
                self.done += got
                return got
            return self._some(room)
        while got < len(room) and self._error is None:
            try:
                part = self._some(room[got:])
            except OSError as error:
                self._error = error.with_traceback(None)
                break
            if part == 0:
                break
            got += part
        if got == 0 and self._error is not None:
            raise self._error
        return got

    def _some(self, room: memoryview) -> int:
        if self._stream is None and not self._head:
            got = int(self._raw.readinto(room) or 0)
            self.done += got
            return got
        room = room[:STEP]
        if self._stream is not None:
            return self._decompressed(room)
        data = self.read(len(room))
        room[: len(data)] = data
        return len(data)

    def _decompressed(self, room: memoryview) -> int:
        """Put the next bytes into `room`; those before damage, too, which Arrow does not count."""
        room[:] = UNWRITTEN[: len(room)]
        try:
            return int(self._stream.readinto(room))
        except OSError as error:
            self._error = error.with_traceback(None)
            return len(bytes(room).rstrip(UNWRITTEN[:1]))

    def cut_off(self) -> bool:
        """True if reading was interrupted: a trailing partial line must be dropped.

        Ctrl-C also ends the writer of a pipe; its end may reach us a moment before our own signal.
        """
        end = monotonic() + MOMENT
        while self._live is not None and not self.stop.requested and monotonic() < end:
            sleep(0.01)
        return self.stop.requested

    def close(self) -> None:
        """Let go of the file."""
        self._stream = None
        if self.name != "standard input":
            self._raw.close()


@dataclass
class Lines:
    """Some whole lines of a file: the first `size` bytes of `buffer`, the last one a newline."""

    buffer: bytearray
    size: int
    first: int  # number of the first of them, from 1
    done: int  # bytes of the file read so far
    problem: str = ""  # instead of lines: why there are none
    pause: bool = False  # it may take a while until there are more
    cut: str = ""  # why a quote that is open after them will never be closed

    @property
    def data(self) -> bytes:
        """The lines, as an object of their own."""
        return bytes(memoryview(self.buffer)[: self.size])


def line_blocks(source: Any, chunk: int = CHUNK, *, numbered: bool = True) -> Iterator[Lines]:
    """The lines of a file, about `chunk` bytes at a time. A buffer is never used again.

    If not `numbered`, lines are not counted, and `first` means nothing.
    """
    buffer = unfilled(chunk + SLACK)
    kept = 0  # bytes at the beginning of the buffer that are an unfinished line
    first = source.first_line
    begun = dropping = False
    while True:
        if len(buffer) < kept + chunk + SLACK:
            buffer = moved(buffer, 0, kept, 2 * kept + chunk + SLACK)
        try:
            with memoryview(buffer) as view:
                got = source.into(view[kept : kept + chunk])
        except OSError as error:
            if source.cut_off():
                return
            yield Lines(buffer, kept, first, source.done, ended_by(error))  # a part of a line
            return
        end = buffer.rfind(b"\n", kept, kept + got) + 1
        if dropping:  # in the middle of a line that is too long
            stop = buffer.find(b"\n", 0, got) + 1
            if got and not stop:
                continue
            dropping, first = False, first + 1
            if not got:
                return
            buffer[: got - stop] = buffer[stop:got]
            kept, got, end = 0, got - stop, max(0, end - stop)
            if not got:  # its end was the last byte; that is no end of the file
                continue
        if not begun and (end or got == 0):  # the first lines are whole
            begun = True
            check_text(source.name, bytes(buffer[: end or kept]))
            if buffer.startswith(BOM, 0, kept + got):
                del buffer[: len(BOM)]
                kept, end = kept - len(BOM), max(0, end - len(BOM))
        if got == 0:
            if kept and not source.cut_off():
                buffer[kept : kept + 1] = b"\n"
                yield Lines(buffer, kept + 1, first, source.done)
            return
        total = kept + got
        if end:
            yield Lines(buffer, end, first, source.done, pause=got < chunk)
            first += buffer.count(b"\n", 0, end) if numbered else 0
            kept = total - end
            buffer = moved(buffer, end, total, kept + chunk + SLACK)
        else:
            kept = total
            if kept > LONGEST:
                problem = (
                    f"the line is longer than {LONGEST:,} bytes; it begins {bytes(buffer[:40])!r}"
                )
                yield Lines(buffer, 0, first, source.done, problem)
                kept, dropping = 0, True


def ended_by(error: OSError) -> str:
    """Why no more lines come."""
    if error.errno is not None:
        return f"the file cannot be read any further ({error})"
    if "runcated" in str(error):
        return "the compressed file is cut short: there is no more of it"
    return f"the compressed data is damaged ({error})"


def check_text(name: str, lines: bytes) -> None:
    """Refuse a file whose first lines show that no line of it can be read."""
    if lines.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(
            f"{name}: this is UTF-16; for read_csv say encoding='utf-16' (--encoding utf-16), for "
            f"others make UTF-8 of it, such as with iconv -f UTF-16 -t UTF-8."
        )
    if b"\n" not in lines and b"\r" in lines.rstrip(b"\r"):
        raise ValueError(
            f"{name}: the lines end in carriage returns alone; make newlines of them, such as with "
            f"tr '\\r' '\\n'."
        )


def moved(buffer: bytearray, start: int, stop: int, size: int) -> bytearray:
    """Some bytes of a buffer at the beginning of another one."""
    other = unfilled(size)
    with memoryview(buffer) as old, memoryview(other) as new:
        new[: stop - start] = old[start:stop]
    return other
