"""Files as bytes: several by pattern, compressed or not, standard input, whole lines at a time."""

import glob
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
CHUNK = 1 << 20  # bytes of text handled at a time
STEP = 1 << 16  # bytes decompressed at a time
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


def suffix(name: str) -> str:
    """The ending that tells the format, without that of the compression."""
    stem, end = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if end in SUFFIXES else end


def total_bytes(files: list[str]) -> int | None:
    """Bytes of all files; None if one of them has no size."""
    if not all(os.path.isfile(file) for file in files):
        return None
    return sum(os.path.getsize(file) for file in files)


class Bytes:
    """The bytes of a file, decompressed if its first bytes or its name say so."""

    def __init__(self, name: str) -> None:
        import pyarrow as pa

        self.name = "standard input" if name == "-" else name
        self._raw = pa.PythonFile(sys.stdin.buffer, mode="r") if name == "-" else pa.OSFile(name)
        self._head = self._raw.read(4)
        self._seen = len(self._head)
        kind = next((k for magic, k in MAGIC.items() if self._head.startswith(magic)), None)
        if kind is None and self._head:
            kind = SUFFIXES.get(os.path.splitext(name.lower())[1])
        self._stream: Any = None
        self._error: OSError | None = None  # told once all before it was given
        if kind is not None:
            self._stream = pa.CompressedInputStream(pa.PythonFile(self, mode="r"), kind)

    # What Arrow asks of a file.
    closed = False

    def readable(self) -> bool:
        """Bytes come out."""
        return True

    def seekable(self) -> bool:
        """They come out once."""
        return False

    def writable(self) -> bool:
        """None go in."""
        return False

    def flush(self) -> None:
        """Nothing waits."""

    def read(self, n: int = -1) -> bytes:
        """The next bytes as they are in the file."""
        n = CHUNK if n < 0 else n
        if self._head:
            data, self._head = bytes(self._head[:n]), self._head[n:]
            return data
        data = bytes(self._raw.read(n))
        self._seen += len(data)
        return data

    def text(self, n: int) -> bytes:
        """The next bytes, decompressed; b"" at the end. What comes before damage is given."""
        if self._stream is None:
            return self.read(n)
        parts: list[bytes] = []
        got = 0
        while got < n and self._error is None:
            try:
                part = bytes(self._stream.read(min(n - got, STEP)))
            except OSError as error:
                self._error = error
                break
            if not part:
                break
            parts.append(part)
            got += len(part)
        if not parts and self._error is not None:
            raise self._error
        return b"".join(parts)

    @property
    def done(self) -> int:
        """Bytes read, compressed where they are."""
        return self._seen - len(self._head)

    def close(self) -> None:
        """Let go of the file."""
        self._stream = None
        if self.name != "standard input":
            self._raw.close()


@dataclass
class Lines:
    """Some whole lines of a file."""

    data: bytes
    first: int  # number of the first of them, from 1
    done: int  # bytes of the file read so far
    problem: str = ""  # instead of lines: why there are none


def line_blocks(source: Bytes, chunk: int = CHUNK) -> Iterator[Lines]:
    """The lines of a file, about `chunk` bytes at a time; each ends with a newline."""
    first, rest, dropping = 1, b"", False
    while True:
        try:
            data = source.text(chunk)
        except OSError as error:
            told = "ends too early" if "runcated" in str(error) else "is damaged"
            problem = f"the compressed data {told} ({error})"
            yield Lines(rest, first, source.done, problem)  # a part of a line
            return
        if dropping:  # in the middle of a line that is too long
            end = data.find(b"\n")
            if end < 0 and data:
                continue
            data, dropping, first = data[end + 1 :] if end >= 0 else b"", False, first + 1
            if not data and end < 0:
                return
        if not data:
            if rest:
                yield Lines(rest + b"\n", first, source.done)
            return
        end = data.rfind(b"\n") + 1
        if end:
            block = rest + data[:end]
            yield Lines(block, first, source.done)
            first += block.count(b"\n")
            rest = data[end:]
        else:
            rest += data
            if len(rest) > LONGEST:
                start = rest[:40]
                rest, dropping = b"", True
                problem = f"the line is longer than {LONGEST:,} bytes; it begins {start!r}"
                yield Lines(b"", first, source.done, problem)
