"""Errors of the contract that are not plain ValueError or TypeError, and the row they name."""


class NotMergeable(TypeError):
    """These two learners cannot be merged; the message says why."""


def in_stream(error: BaseException, before: int) -> str:
    """The message of an error, whose row of a block becomes one of the stream."""
    row = getattr(error, "row", None)
    return str(error) if row is None else renumbered(error, f"{row + before:,}")


def renumbered(error: BaseException, row: object) -> str:
    """The message of an error about a row of a block (`error.row`), with another name for it."""
    return str(error).replace(f"row {error.row}:", f"row {row}:", 1)  # type: ignore[attr-defined]
