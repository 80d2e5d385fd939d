"""Warnings about data as one line on standard error, each once."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base import DataWarning
from .paper import remark
from .words import on_the_shell

NONE_KNOWN = ".*none of the features .* was learned"  # how a learner says so
COUNTS = re.compile(r" \([\d,]+ in [\d,]+ examples\)")  # which differ from learner to learner
SOME_LACK = ".*X lacks .*, learned before"


@contextmanager
def doubts_in_a_line() -> Iterator[None]:
    """Within this block a DataWarning is a line, told once however many learners share it."""
    told: set[str] = set()

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, DataWarning):
            others(message, category, *place, **more)
            return
        text = str(message)
        about = COUNTS.sub("", text.partition(": ")[2] or text)  # without the learner's name
        if about not in told:
            told.add(about)
            remark(f"Warning: {on_the_shell(text)}")

    with warnings.catch_warnings():
        others = warnings.showwarning
        warnings.showwarning = show
        warnings.simplefilter("always", DataWarning)
        yield


def keep_quiet() -> None:
    """Tell no warnings from now on."""
    warnings.simplefilter("ignore", DataWarning)


def refuse_strangers(*, lacking_is_told: bool, only_told: bool) -> None:
    """From now on rows of which the model knows nothing are an error, not a warning.

    Where each row brings features of its own (`only_told`), some may all be new. That a file lacks
    columns is told by the learner unless the command line has told it.
    """
    if not only_told:
        warnings.filterwarnings("error", NONE_KNOWN, DataWarning)
    if lacking_is_told:
        leave_lacking()


def leave_lacking() -> None:
    """That a file lacks columns, the command line tells by itself."""
    warnings.filterwarnings("ignore", SOME_LACK, DataWarning)
