"""Where a command prints: a terminal as wide as it is, or a file or pipe, where no line wraps."""

import os
import re
from typing import Any

from rich.console import Console

from ..base.printable import printable
from .shell_words import in_shell_words

UNLIMITED = 100_000  # columns
bars: list[Console] = []  # of progress bars on standard error, which make room for other lines


class OutputConsole(Console):
    """Standard output; in a file or a pipe no line ends with spaces."""

    def print(self, *things: Any, **options: Any) -> None:
        """Write things; a pipe that nobody reads any more is a BrokenPipeError, as elsewhere."""
        if self.is_terminal:
            super().print(*things, **options)
            return
        with self.capture() as written:
            super().print(*things, **options)
        self.file.write(re.sub(r" +$", "", written.get(), flags=re.MULTILINE))
        self.file.flush()


def output_console() -> Console:
    """Standard output; unless it is a terminal or COLUMNS is set, nothing is cut or wrapped."""
    console = OutputConsole()
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return OutputConsole(width=UNLIMITED)


def print_line(text: str, style: str | None = None) -> None:
    """One line on standard output, whatever names and values contain."""
    output_console().print(printable(text), style=style, markup=False, soft_wrap=True)


def remark(text: str, style: str = "yellow") -> None:
    """One line on standard error, whatever names and values contain."""
    console = bars[-1] if bars else Console(stderr=True)
    console.print(printable(text), style=style, markup=False, highlight=False, soft_wrap=True)


def warn_if_most_rejected(stream: Any) -> None:
    """A line in red if more than half of the lines could not be read: that is rarely meant."""
    lines = stream.rejected + stream.rows
    if stream.rejected > stream.rows:
        reason = in_shell_words(most_helpful(stream.messages))
        why = f": {reason}" if reason else ""
        remark(f"Warning: {stream.rejected:,} of {lines:,} lines were left out{why}.", "red")


def most_helpful(reasons: list[str]) -> str:
    """The first reason that names --newlines-in-values; or any option; or the first of all.

    Each line of a value that spans lines has a reason of its own, but only one cause.
    """
    for hint in ("(--newlines-in-values)", "(--"):
        for reason in reasons:
            if hint in reason:
                return reason
    return reasons[0] if reasons else ""


def left_out(stream: Any, consequence: str) -> str:
    """How many lines could not be read, the consequence, and what is wrong with the first."""
    lines = "1 line" if stream.rejected == 1 else f"{stream.rejected:,} lines"
    first = f" The first: {in_shell_words(stream.messages[0])}." if stream.messages else ""
    return f"{lines} could not be read and {consequence}.{first}"
