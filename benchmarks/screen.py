"""What is shown during a run: a progress bar on a terminal, plain lines in a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


class Screen:
    """A progress bar with the present step on a terminal; in a pipe only the lines said."""

    def __init__(self, progress: Progress, steps: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=steps)

    def step(self, text: str) -> None:
        self._progress.update(self._task, advance=1, description=text)

    def say(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def display(steps: int) -> Iterator[Screen]:
    console = Console()
    columns = (BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        yield Screen(progress, steps)
