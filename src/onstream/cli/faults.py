"""What ends a command, as a sentence; in the middle of a stream, with what was saved."""

from os import PathLike


class Unreadable(ValueError):
    """The source could not be read on: its fault, not the learner's."""


FAULTS = (ValueError, TypeError, ImportError, OSError, MemoryError)


def sentence(error: BaseException) -> str:
    """The error in words."""
    if isinstance(error, MemoryError):
        return f"onstream: out of memory: {error!s:.200}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"onstream: {error.filename}: {error.strerror}."
    return str(error)


def with_the_rest(error: BaseException, rows: int, file: str | PathLike[str]) -> ValueError:
    """The error, with what became of the rows before it."""
    told = sentence(error)
    told += "" if told.endswith((".", "?", "!")) else "."
    told += f" The {rows:,} rows before are learned and saved to {file}."
    if isinstance(error, Unreadable) and "line " in told:  # else skipping would not help
        told += " --on-error skip leaves out such lines."
    return ValueError(told)
