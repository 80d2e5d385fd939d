"""Who is told about progress."""

from collections.abc import Callable
from typing import Any


class told:
    """Who is told about progress: nobody, a bar in the terminal, or a function."""

    def __init__(self, progress: bool | Callable[[int], object], rows: int | None) -> None:
        self.progress, self.rows = progress, rows
        self.bar: Any = None

    def __enter__(self) -> Callable[[int], object]:
        if callable(self.progress):
            return self.progress
        if not self.progress:
            return lambda rows: None
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("{task.completed:,.0f} rows"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = self.bar.add_task("", total=self.rows)
        self.bar.start()
        return lambda rows: self.bar.advance(task, rows)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
