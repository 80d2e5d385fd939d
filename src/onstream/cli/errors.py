"""Errors that end a command, as one sentence; in the middle of a stream, with what was saved."""

import os
import sys
import traceback

from ..base import DataWarning
from .shell_words import in_shell_words


class Unreadable(ValueError):
    """The source cannot be read any further: an error of the input, not of the learner."""


EXPECTED_ERRORS = (ValueError, TypeError, ImportError, OSError, MemoryError, DataWarning)


def message_of(error: BaseException) -> str:
    """The error in words."""
    if isinstance(error, MemoryError):
        return f"onstream: out of memory: {error!s:.200}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"onstream: {error.filename}: {error.strerror}."
    return in_shell_words(str(error))


def with_rows_learned(
    error: BaseException, rows: int, file: str | os.PathLike[str] | None
) -> ValueError:
    """The error, with how many rows were learned before it, and where they are saved."""
    message = message_of(error)
    if not rows:
        return ValueError(message)
    message += "" if message.endswith((".", "?", "!")) else "."
    message = message.replace(" The rows before it were learned.", "")  # said more precisely now
    message += f" The {rows:,} rows before are learned"
    message += "." if file is None else f" and saved to {file}."
    if isinstance(error, Unreadable) and "line " in message:  # otherwise skipping would not help
        message += " --on-error skip leaves out such lines."
    return ValueError(message)


def show_traceback(error: BaseException) -> None:
    """If ONSTREAM_TRACEBACK=1, print where an error comes from, and those that it replaced."""
    if os.environ.get("ONSTREAM_TRACEBACK") != "1":
        return
    one: BaseException | None = error
    while one is not None:
        one.__suppress_context__ = False  # by `from None`
        one = one.__cause__ or one.__context__
    traceback.print_exception(error, file=sys.stderr)
