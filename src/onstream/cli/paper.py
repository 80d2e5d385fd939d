"""Where answers are written: a terminal as wide as it is, or a file or pipe without any edge."""

import os
import re
from typing import Any

from rich.console import Console
from rich.progress import Progress

from ..base.printable import printable
from .words import on_the_shell

ENDLESS = 100_000  # columns
bars: list[Console] = []  # of bars on standard error, which must make room for what is written


class Paper(Console):
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


class Bar(Progress):
    """A progress bar that writes nothing where it is disabled; rich before 15 ends it by a line."""

    def start(self) -> None:
        """Show it."""
        if not self.disable:
            super().start()

    def stop(self) -> None:
        """Take it away."""
        if not self.disable:
            super().stop()


def paper() -> Console:
    """Standard output; unless it is a terminal or COLUMNS is set, nothing is cut or wrapped."""
    console = Paper()
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return Paper(width=ENDLESS)


def remark(text: str, style: str = "yellow") -> None:
    """One line on standard error, whatever stands in names and values."""
    console = bars[-1] if bars else Console(stderr=True)
    told = printable(text)
    console.print(told, style=style, markup=False, highlight=False, soft_wrap=True)


def warn_of_most(stream: Any) -> None:
    """A line in red if more than half of the lines could not be read: that is rarely meant."""
    lines = stream.rejected + stream.rows
    if stream.rejected > stream.rows:
        told = on_the_shell(most_helpful(stream.messages))
        why = f": {told}" if told else ""
        remark(f"Warning: {stream.rejected:,} of {lines:,} lines were left out{why}.", "red")


def most_helpful(reasons: list[str]) -> str:
    """A reason that says what to do: about values that span lines, else any option; or the first.

    Each line of a value that spans lines has a reason of its own, but only one cause.
    """
    for hint in ("(--newlines-in-values)", "(--"):
        for reason in reasons:
            if hint in reason:
                return reason
    return reasons[0] if reasons else ""


def left_out(stream: Any, became: str) -> str:
    """How many lines could not be read, what became of them, and what is wrong with the first."""
    lines = "1 line" if stream.rejected == 1 else f"{stream.rejected:,} lines"
    first = f" The first: {on_the_shell(stream.messages[0])}." if stream.messages else ""
    return f"{lines} could not be read and {became}.{first}"
