"""Progress over a stream: a bar in the terminal, or a call of the user's function."""

from collections.abc import Callable
from typing import Any


class Progress:
    """A context that gives the function to report rows to: the user's, a bar's, or an idle one."""

    def __init__(self, progress: bool | Callable[[int], object], rows: int | None) -> None:
        self.progress, self.rows = progress, rows
        self.bar: Any = None

    def __enter__(self) -> Callable[[int], object]:
        if callable(self.progress):
            return self.progress
        if not self.progress:
            return lambda rows: None
        from rich import progress
        from rich.console import Console

        self.bar = progress.Progress(
            progress.TextColumn("{task.completed:,.0f} rows"),
            progress.BarColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = self.bar.add_task("", total=self.rows)
        self.bar.start()
        return lambda rows: self.bar.advance(task, rows)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
