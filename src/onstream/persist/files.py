"""Models in files: written all or nothing, and checked when read."""

import contextlib
import errno
import hashlib
import os
import platform
import secrets
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..base import Learner, Part
from .format import BEGINNING, ModelFileError, dumps, loads, notes_of

RECENT = 60.0  # seconds: a process of a container may have another number here
LEFT_BEHIND = 3600.0  # seconds after which a scratch file is abandoned


def save(
    model: Learner | Part,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a learner (or a detector, or a statistic) to a file.

    Afterwards the file is the old one or the new one, never half of it. `notes` (a dict of
    whatever JSON can hold) stand beside the model; `load_notes` reads them.

    Examples
    --------
    >>> import os, tempfile
    >>> import onstream
    >>> model = onstream.PAClassifier()
    >>> model.learn_one({"free": 1}, "spam")
    >>> path = os.path.join(tempfile.mkdtemp(), "spam.onstream")
    >>> onstream.save(model, path)
    >>> onstream.load(path).predict_one({"free": 1})
    'spam'
    """
    data = dumps(model, notes)
    path = coerce_path("save", path)
    target = checked_target(path)
    scratch = target.parent / scratch_name(target)
    try:
        handle = os.open(
            scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
    except OSError as error:  # name the path that was given
        why = error.strerror
        if isinstance(error, FileNotFoundError):
            why = f"there is no folder {str(target.parent)!r}; make it first"
        raise type(error)(error.errno, f"save: {why}", path) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):  # the permissions of the old file, if any
            os.chmod(scratch, target.stat().st_mode & 0o777)
        os.replace(scratch, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(scratch)
        raise
    _sync_folder(target.parent)
    remove_left_behind(target)


def load(path: str | os.PathLike[str], **functions: Callable[..., Any]) -> Any:
    """Read a model from a file.

    Parameters that were functions are not in the file; give them again by name:
    `load("model.onstream", beta=f)`. A file that is broken, or was not written by `save`, is
    refused with a `ModelFileError` (a ValueError) that says what is wrong.
    """
    path = file_path("load", path)
    data = Path(path).read_bytes()
    try:
        return loads(data, **functions)
    except ModelFileError as error:
        raise ModelFileError(f"load: {path!r}: {error}") from None


def load_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The notes that a model was saved with; the command line remembers the columns there."""
    path = file_path("load_notes", path)
    data = Path(path).read_bytes()
    try:
        return notes_of(data)
    except ModelFileError as error:
        raise ModelFileError(f"load: {path!r}: {error}") from None


def is_model(path: str | os.PathLike[str]) -> bool:
    """Say whether a file begins like those that `save` writes; whether it is whole, says `load`."""
    with open(file_path("is_model", path), "rb") as file:
        return file.read(8 + len(BEGINNING))[8:] == BEGINNING


def coerce_path(who: str, path: Any) -> str:
    """The path as a string that can be the name of a file."""
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise TypeError(f"{who}: path must be a str or a Path, got {path!r:.80}.")
    if not text:
        raise ValueError(f"{who}: path is empty; name a file.")
    try:
        if b"\0" not in os.fsencode(text):
            return text
    except UnicodeEncodeError:
        pass
    raise ValueError(f"{who}: {text!a:.80} has a character that no name of a file can have.")


def file_path(who: str, path: Any) -> str:
    """The path of a file to read; of a folder, some systems would say that it may not be read."""
    text = coerce_path(who, path)
    if os.path.isdir(text):
        raise IsADirectoryError(errno.EISDIR, f"{who}: this is a folder; name a file in it", text)
    return text


def checked_target(path: str) -> Path:
    """The file to be replaced: of a link, the one behind it. What is no file is left alone."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "save: this link leads back to itself", path)
    folder = os.path.basename(path) in ("", os.curdir, os.pardir)
    try:
        mode = os.stat(path).st_mode
    except OSError:  # nothing is there yet; if nothing can be there, making it will say so
        if not folder:
            return target
        mode = stat.S_IFDIR
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "save: this is a folder; name a file in it", path)
    if not stat.S_ISREG(mode):
        why = (
            "save: this is a device, a pipe or a socket, which a model cannot replace; name a file"
        )
        raise OSError(errno.EINVAL, why, path)
    return target


def scratch_beginning(target: Path) -> str:
    """How the names of scratch files for this file begin; its own name might be too long."""
    return f".onstream-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def scratch_name(target: Path) -> str:
    """A unique name; it says which process of which machine writes there."""
    return f"{scratch_beginning(target)}{machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"


def machine() -> str:
    """A short name of this machine."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def remove_left_behind(target: Path) -> None:
    """Remove scratch files of processes that were killed while saving to this file."""
    beginning = scratch_beginning(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(beginning) and entry.name.endswith(".tmp"):
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    where, process = entry.name[len(beginning) :].split("-")[:2]
                    dead = where == machine() and not is_running(process)
                    age = time.time() - entry.stat().st_mtime
                    if age > (RECENT if dead else LEFT_BEHIND):
                        os.unlink(entry.path)


def is_running(process: str) -> bool:
    """Say whether a process of this machine may still be there."""
    if os.name != "posix":
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
