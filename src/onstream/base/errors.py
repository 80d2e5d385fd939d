"""Errors of the contract that are not plain ValueError or TypeError, and the row they name."""

import re

ROW = re.compile(r"^((?:\w+: )?row )(\d+)\b")  # how a learner names a row of its block


class NotMergeable(TypeError):
    """These two learners cannot be merged; the message says why."""


def in_stream(error: BaseException, before: int) -> str:
    """The message of an error, whose row of a block becomes one of the stream."""
    return ROW.sub(lambda found: f"{found[1]}{int(found[2]) + before:,}", str(error))
