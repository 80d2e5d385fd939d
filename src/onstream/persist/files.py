"""Models in files: written all or nothing, read with suspicion."""

import contextlib
import errno
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..base import Learner, Part
from .format import BEGINNING, ModelFileError, dumps, loads, notes_of


def save(
    model: Learner | Part,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a learner (or a detector, or a statistic) to a file.

    Afterwards the file is the old one or the new one, never half of it. `notes` (whatever JSON can
    hold) stand beside the model; `load_notes` reads them.

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
    target = Path(os.path.realpath(path))  # of a link, the file behind it is written
    if target.is_dir():
        told = "save: this is a folder; name a file in it"
        raise IsADirectoryError(errno.EISDIR, told, os.fspath(path))
    scratch = target.parent / f".onstream-{secrets.token_hex(8)}.tmp"
    try:
        handle = os.open(
            scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
    except OSError as error:  # told of the path that was given
        why = error.strerror
        if isinstance(error, FileNotFoundError):
            why = f"there is no folder {str(target.parent)!r}; make it first"
        raise type(error)(error.errno, f"save: {why}", os.fspath(path)) from None
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


def load(path: str | os.PathLike[str], **functions: Callable[..., Any]) -> Any:
    """Read a model from a file.

    Parameters that were functions are not in the file; give them again by name:
    `load("model.onstream", beta=f)`. A file that is broken, or was not written by `save`, is
    refused with a `ModelFileError` (a ValueError) that says what is wrong.
    """
    data = Path(path).read_bytes()
    try:
        return loads(data, **functions)
    except ModelFileError as error:
        raise ModelFileError(f"load: {os.fspath(path)!r}: {error}") from None


def load_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The notes that a model was saved with; the command line remembers the columns there."""
    data = Path(path).read_bytes()
    try:
        return notes_of(data)
    except ModelFileError as error:
        raise ModelFileError(f"load: {os.fspath(path)!r}: {error}") from None


def is_model(path: str | os.PathLike[str]) -> bool:
    """Say whether a file begins like those that `save` writes; whether it is whole, says `load`."""
    with open(path, "rb") as file:
        return file.read(8 + len(BEGINNING))[8:] == BEGINNING


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
