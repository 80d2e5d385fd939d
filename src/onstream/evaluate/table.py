"""The table of a report in a terminal: names are never broken for figures, however narrow."""

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..base.printable import printable
from .figures import compact
from .report import WEIGHTED, heading, shown

if TYPE_CHECKING:
    from .report import Report, Run

GAP = 2  # between two columns
NAME = 24  # columns that a learner's name gets at least, if it is that long


class ResultTable:
    """Learners by figures; in a terminal that is too narrow, some figures move to a second table.

    The first metric and its last window stay beside the names; the cost of learning goes first,
    then the other metrics.
    """

    def __init__(self, report: "Report") -> None:
        self.report = report
        metrics = [self.metric(metric, "cumulative") for metric in report.metrics]
        last = self.metric(report.metrics[0], "window")
        last[0] = f"last {report.window:,}"
        self.blocks = [[metrics[0], last], *([column] for column in metrics[1:])]
        cost = [
            ["per s", *(compact(s) if (s := report.speed(run)) else "" for run in report.runs)],
            ["CPU", *(seconds(run.cpu) for run in report.runs)],
            ["memory", *(size(run.memory_bytes) for run in report.runs)],
        ]
        if any(run.alarms for run in report.runs):
            cost.append(["alarms", *(f"{len(run.alarms):,}" for run in report.runs)])
        self.blocks.append(cost)

    def metric(self, metric: dict[str, str], range: str) -> list[str]:
        """A column: its heading, then the value of each learner; the best is green."""
        runs = self.report.runs
        values = {run.name: run.values[metric["name"]][range] for run in runs if not run.stopped}
        pick = max if metric["best"] == "high" else min
        best = pick((v for v in values.values() if v == v), default=None)
        cells = [escape(printable(heading(metric)))]
        for run in runs:
            text = shown(metric, run.values[metric["name"]][range])
            cells.append(f"[bold green]{text}[/]" if values.get(run.name) == best else text)
        return cells

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(printable(self.report.question), style="bold")
        for number, blocks in enumerate(self.pages(options.max_width)):
            if number:
                yield ""
            yield self.page([column for block in blocks for column in block], first=not number)
        if self.report.weighted:
            yield Text(f"{WEIGHTED[0].upper()}{WEIGHTED[1:]}.", style="dim")
        for run in self.report.runs:
            if run.remark:
                yield Text(printable(f"{run.name}: {run.remark}."), style="yellow")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        whole = self.page([column for block in self.blocks for column in block])
        return Measurement.get(console, options, whole)

    def pages(self, width: int) -> list[list[list[list[str]]]]:
        """As many blocks of columns side by side as there is room for beside the names."""
        names = max(len(printable(run.name)) for run in self.report.runs)
        room = width - min(names, NAME)
        pages: list[list[list[list[str]]]] = [[]]
        taken = 0
        for block in self.blocks:
            needed = sum(GAP + max(map(coerce_length, column)) for column in block)
            if pages[-1] and taken + needed > room:
                pages.append([])
                taken = 0
            pages[-1].append(block)
            taken += needed
        return pages

    def page(self, columns: list[list[str]], first: bool = True) -> Table:
        """One table."""
        out = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
        out.add_column("learner", overflow="fold")  # figures never
        for head, *_ in columns:
            out.add_column(head, justify="right", no_wrap=True)
        for i, run in enumerate(self.report.runs, 1):
            out.add_row(
                self.name(run, first=first),
                *(column[i] for column in columns),
                style="dim" if run.baseline else None,
            )
        return out

    def name(self, run: "Run", *, first: bool) -> str:
        """The learner, and why it has stopped."""
        name = escape(printable(run.name))
        if not run.stopped or not first:
            return name
        return f"{name}\n[yellow]{escape(printable(run.stopped))}[/]"


def coerce_length(cell: str) -> int:
    """How wide a cell is."""
    return Text.from_markup(cell).cell_len


def seconds(cpu: float) -> str:
    """A time as people read it: 0.4 ms, 130 ms, 12.5 s, 3.1 min."""
    if cpu < 1.0:
        return f"{1e3 * cpu:.3g} ms"
    return f"{cpu:.3g} s" if cpu < 600.0 else f"{cpu / 60:,.0f} min"


def size(count: int) -> str:
    """A size as people read it: 812 B, 3.32 kB, 14.4 MB."""
    value, units = float(count), iter(("B", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while value >= 999.5 and unit != "TB":
        value, unit = value / 1e3, next(units)
    return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"
