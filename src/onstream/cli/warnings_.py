"""Warnings about data, each as one line on standard error."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base import DataWarning
from .console import remark
from .shell_words import in_shell_words

NONE_KNOWN = ".*none of the features .* was learned"  # how a learner says so
COUNTS = re.compile(r" \([\d,]+ in [\d,]+ examples\)")  # which differ from learner to learner
SOME_LACK = ".*X lacks .*, learned before"


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Within this block a DataWarning is one line, however many learners give it."""
    shown: set[str] = set()

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, DataWarning):
            others(message, category, *place, **more)
            return
        text = str(message)
        about = COUNTS.sub("", text.partition(": ")[2] or text)  # without the learner's name
        if about not in shown:
            shown.add(about)
            remark(f"Warning: {in_shell_words(text)}")

    with warnings.catch_warnings():
        others = warnings.showwarning
        warnings.showwarning = show
        warnings.simplefilter("always", DataWarning)
        yield


def silence_warnings() -> None:
    """Show no warnings about data from now on."""
    warnings.simplefilter("ignore", DataWarning)


def refuse_unknown_rows(*, columns_known: bool, any_features: bool) -> None:
    """Make rows of which the model knows nothing an error, not a warning, from now on.

    Where each row brings features of its own (`any_features`), some may all be new. If the columns
    are known, the command itself reports those that a file lacks.
    """
    if not any_features:
        warnings.filterwarnings("error", NONE_KNOWN, DataWarning)
    if columns_known:
        ignore_missing_columns()


def ignore_missing_columns() -> None:
    """Do not repeat a learner's warning that a file lacks columns: the command reports it."""
    warnings.filterwarnings("ignore", SOME_LACK, DataWarning)
