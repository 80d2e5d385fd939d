"""The progress bar of a long run: rows, speed, time left, and how well the learner does."""

from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from .console import bars


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


class ProgressBar:
    """A bar on standard error; nothing at all where that is no terminal, or if `quiet`."""

    def __init__(
        self, title: str, stream: Any, limit: int | None, *, quiet: bool, skipped: int = 0
    ) -> None:
        self.stream, self.skipped = stream, skipped
        self.total = limit
        self.console = Console(stderr=True)
        width = self.console.width
        one_line = Column(no_wrap=True, overflow="ellipsis")  # a bar that wraps leaves traces
        columns = [
            TextColumn("{task.description}"),
            BarColumn(bar_width=30 if width >= 100 else 20 if width >= 78 else 8),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}", table_column=one_line),
        ]
        if width >= 78:
            columns.append(TimeRemainingColumn())
        self.bar = Bar(
            *columns,
            console=self.console,
            transient=True,
            disable=quiet or not self.console.is_terminal,
        )
        self.task = self.bar.add_task(title, total=None, figures="")
        self.rows = 0

    def __enter__(self) -> Self:
        self.bar.start()
        bars.append(self.console)
        return self

    def __exit__(self, *_: object) -> None:
        bars.remove(self.console)
        self.bar.stop()

    @property
    def shown(self) -> bool:
        """Say whether there is a bar to be seen."""
        return not self.bar.disable

    def advance(self, rows: int, figure: str = "") -> None:
        """Count `rows` more rows; `figure` says how well the learner does."""
        self.rows += rows
        if not self.shown:
            return
        task = self.bar.tasks[0]
        seconds = max(task.elapsed or 0.0, 1e-9)
        words = [f"{short(self.rows)} rows", f"{short(self.rows / seconds)}/s"]
        total = self.stream.bytes_total
        done = self.bytes_done()
        if self.total is not None:
            self.bar.update(self.task, total=self.total, completed=self.rows)
        elif total:
            self.bar.update(self.task, total=total, completed=min(done, total))
            if self.console.width >= 100:
                words.append(f"{short(done)}B of {short(total)}B")
        if figure:
            words.insert(1, figure)
        self.bar.update(self.task, figures=", ".join(words))

    def bytes_done(self) -> float:
        """Bytes of the rows that were worked on: of those read ahead, their share of all rows.

        Of a file that is followed nothing is read ahead, and no rows are counted.
        """
        ahead = getattr(self.stream, "rows", 0) - self.skipped
        share = self.rows / ahead if ahead > 0 else 1.0
        return float(self.stream.bytes_done * min(1.0, share))


def short(number: float) -> str:
    """A count with three digits: 950, 12.3k, 4.56M."""
    for unit in ("", "k", "M", "G"):
        if abs(number) < 999.5:
            return f"{number:.0f}" if not unit else f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}T"
