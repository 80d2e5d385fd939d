"""The warning for data that may not mean what it says: once per model, and not an error."""

import sys
import warnings
from collections.abc import Iterable, Sized
from itertools import islice
from typing import Any


class DataWarning(UserWarning):
    """Something about the data is probably not what the user meant; the message says what to do.

    Every model tells each kind once. `warnings.simplefilter("ignore", DataWarning)` silences it,
    `"error"` makes an error of it; what is told of an example that was learned stays learned.
    """


def warn_of_data(message: str) -> None:
    """Warn of data, in the line of the user's program that passed it."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("onstream."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DataWarning, stacklevel=level)


def told(names: Iterable[Any], most: int = 5) -> str:
    """Some names, and how many more there are."""
    some = list(islice(names, most + 1))
    listed = ", ".join(f"{name!r:.40}" for name in some[:most])
    if len(some) <= most:
        return listed
    more = len(names) - most if isinstance(names, Sized) else 0
    return f"{listed} and {more:,} more" if more else f"{listed}, ..."
