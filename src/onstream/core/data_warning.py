"""`DataWarning`: the data is probably not what the user meant. A warning, not an error."""

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from itertools import islice
from typing import Any

_held = threading.local()  # messages: those of this thread that wait, if they are to


class DataWarning(UserWarning):
    """Something about the data is probably not what the user meant; the message says what to do.

    Every model gives each kind of warning once. `warnings.simplefilter("ignore", DataWarning)`
    silences them, `"error"` turns them into errors; an example that was learned before its warning
    stays learned.
    """


def warn_of_data(message: str) -> None:
    """Give a `DataWarning` that points to the line of the user's program that passed the data."""
    messages = getattr(_held, "messages", None)
    if messages is not None:
        messages.append(message)
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("onstream."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DataWarning, stacklevel=level)


@contextmanager
def held_back() -> Iterator[list[str]]:
    """Collect the warnings of this thread, which another one will give."""
    messages: list[str] = []
    _held.messages = messages
    try:
        yield messages
    finally:
        _held.messages = None


def list_names(names: Iterable[Any], most: int = 5) -> str:
    """The first `most` names for a sentence, and how many more there are."""
    some = list(islice(names, most + 1))
    listed = ", ".join(f"{name!r:.40}" for name in some[:most])
    if len(some) <= most:
        return listed
    more = len(names) - most if isinstance(names, Sized) else 0
    return f"{listed} and {more:,} more" if more else f"{listed}, ..."
