"""Where answers go: a file that appears when it is whole, standard output, a device or a pipe."""

import io
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

STANDARD = Path("-")
OPEN_FILES = re.compile(rf"/dev/fd|/proc/(self|thread-self|{os.getpid()})(/task/\d+)?/fd")


def descriptor(path: Path) -> int | None:
    """The number of the open file that a name stands for: 1 is standard output, "-"; or None.

    /dev/stdout is a link to /proc/self/fd/1, which is a link to whatever the shell has opened:
    that is to be written on, never replaced.
    """
    if path == STANDARD:
        return 1
    for _ in range(40):  # links to links, as many as Linux follows
        folder = os.path.realpath(path.absolute().parent)
        if path.name.isdigit() and OPEN_FILES.fullmatch(folder):
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / os.readlink(path)
    return None


def is_standard(path: Path | None) -> bool:
    """Say whether answers go to standard output, so that remarks must not."""
    return path is None or descriptor(path) == 1


def in_place(path: Path) -> Path:
    """The file behind all links: this is the one to be replaced, and the links stay."""
    return Path(os.path.realpath(path))


def is_special(path: Path) -> bool:
    """Say whether this is there and neither a file nor a folder: it can only be written through."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A place to write bytes to. A file is the old one or the new one, never half of it."""
    number = descriptor(path)
    if number == 1:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif number is not None:
        with os.fdopen(os.dup(number), "wb") as file:
            yield file
    elif is_special(path):
        with path.open("wb") as file:
            yield file
    else:
        with replaced(in_place(path)) as file:
            yield file


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place, and the permissions, of the old one."""
    scratch = target.with_name(f".onstream-{secrets.token_hex(8)}.part")
    try:
        with scratch.open("xb") as file:
            yield file
        with suppress(FileNotFoundError):
            os.chmod(scratch, target.stat().st_mode & 0o777)
        os.replace(scratch, target)
    finally:
        with suppress(FileNotFoundError):
            scratch.unlink()


@contextmanager
def opened_text(path: Path) -> Iterator[TextIO]:
    """The same for text, as UTF-8."""
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()  # writes the rest


class Sink:
    """A place for Arrow to write to, which is not closed by it, and may be a pipe."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.at = file, 0

    def write(self, data: Any) -> int:
        """Some more bytes."""
        if self.file.closed:  # after an interrupt Arrow hands on what it held when it is destroyed
            return len(data)
        self.file.write(data)
        self.at += len(data)
        return len(data)

    def tell(self) -> int:
        """Bytes written so far."""
        return self.at

    def flush(self) -> None:
        """Hand on what was written."""
        self.file.flush()

    def close(self) -> None:
        """Leave the file open."""
