"""What ends a command, as a sentence; in the middle of a stream, with what was saved."""

from os import PathLike

from ..base import DataWarning
from .words import on_the_shell


class Unreadable(ValueError):
    """The source could not be read on: its fault, not the learner's."""


FAULTS = (ValueError, TypeError, ImportError, OSError, MemoryError, DataWarning)


def sentence(error: BaseException) -> str:
    """The error in words."""
    if isinstance(error, MemoryError):
        return f"onstream: out of memory: {error!s:.200}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"onstream: {error.filename}: {error.strerror}."
    return on_the_shell(str(error))


def with_the_rest(error: BaseException, rows: int, file: str | PathLike[str] | None) -> ValueError:
    """The error, with what became of the rows before it: learned, and saved if there is a file."""
    told = sentence(error)
    if not rows:
        return ValueError(told)
    told += "" if told.endswith((".", "?", "!")) else "."
    told = told.replace(" The rows before it were learned.", "")  # said more precisely now
    told += f" The {rows:,} rows before are learned"
    told += "." if file is None else f" and saved to {file}."
    if isinstance(error, Unreadable) and "line " in told:  # else skipping would not help
        told += " --on-error skip leaves out such lines."
    return ValueError(told)
