"""Models in files: written all or nothing, read with suspicion."""

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base import Learner
from .format import ModelFileError, dumps, loads


def save(model: Learner, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, which afterwards is the old one or the new one, never half of it.

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
    data = dumps(model)
    target = Path(os.path.realpath(path))  # of a link, the file behind it is written
    handle, scratch = tempfile.mkstemp(prefix=".onstream-", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, _mode(target))
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


def _mode(target: Path) -> int:
    """Permissions for the new file: those of the old one, or what the umask leaves."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
