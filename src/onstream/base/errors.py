"""`NotMergeable`, and the row that an error message names."""


class NotMergeable(TypeError):
    """These two learners cannot be merged; the message says why."""


def in_stream(error: BaseException, before: int) -> str:
    """The message of an error in a block, with its row counted in the stream.

    `before` is the number of rows before the block.
    """
    row = getattr(error, "row", None)
    return str(error) if row is None else renumbered(error, f"{row + before:,}")


def renumbered(error: BaseException, row: object) -> str:
    """The message of an error about a row of a block (`error.row`), naming it `row` instead."""
    return str(error).replace(f"row {error.row}:", f"row {row}:", 1)  # type: ignore[attr-defined]
