"""What came out of an evaluation: a table, a picture, a page, data."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

RANGES = {
    "window": "the last {window:,} {step}s",
    "cumulative": "all {step}s so far",
    "fading": "fading memory, α = {alpha:g}",
}


@dataclass
class Run:
    """How one learner did."""

    name: str
    learner: str  # as it is written in code
    params: dict[str, Any]
    baseline: bool
    values: dict[str, dict[str, float]]  # metric, range
    curves: dict[str, dict[str, NDArray[np.float64]]]
    wall: float  # seconds spent predicting and learning
    cpu: float  # the same, of all threads
    memory_bytes: int
    alarms: list[int]  # rows after which drift was noticed
    picture: str = ""  # of what was learned, SVG; for learners that can draw themselves
    stopped: str = ""  # where and why, if it could not learn all rows; then it has no values


@dataclass
class Report:
    """An evaluation of some learners on one stream.

    `str(report)` is a table, `rich.print(report)` a coloured one.
    """

    question: str
    rows: int
    window: int
    alpha: float
    delay: int
    metrics: list[dict[str, str]]
    at: NDArray[np.int64]  # rows seen at each point of the curves
    runs: list[Run]
    marks: dict[int, str] = field(default_factory=dict)
    step: str = "example"
    made: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def run(self, name: str) -> Run:
        """The run of one learner."""
        for run in self.runs:
            if run.name == name:
                return run
        known = ", ".join(run.name for run in self.runs)
        raise KeyError(f"Report: there is no learner {name!r}; there are: {known}.")

    def value(self, learner: str, metric: str, range: str = "cumulative") -> float:
        """A final value; `range` is "cumulative", "window" or "fading"."""
        values = self.run(learner).values
        if metric not in values:
            raise KeyError(
                f"Report: there is no metric {metric!r}; there are: {', '.join(values)}."
            )
        if range not in RANGES:
            raise KeyError(f"Report: range must be one of {', '.join(RANGES)}, got {range!r}.")
        return values[metric][range]

    def speed(self, run: Run) -> float | None:
        """Rows per second; None if it took no time, or not all of them."""
        return self.rows / run.wall if run.wall and not run.stopped else None

    def about(self, range: str) -> str:
        """What a range looks at, in words."""
        return RANGES[range].format(window=self.window, step=self.step, alpha=self.alpha)

    def settings(self) -> dict[str, str]:
        """Every parameter of the evaluation, in words."""
        told = {
            "protocol": "prequential: predict each example, judge the prediction, then learn it",
            f"{self.step}s": f"{self.rows:,}",
            "window": f"{self.window:,} {self.step}s",
            "fading factor α": f"{self.alpha:g}",
            "label delay": f"{self.delay:,} {self.step}s" if self.delay else "none",
            "metrics": ", ".join(metric["what"] for metric in self.metrics),
        }
        for row, text in self.marks.items():
            told[f"mark at {row:,}"] = text
        return told

    # -- for the eye -------------------------------------------------------------------------------

    def table(self) -> Any:
        """A coloured table for the terminal (a `rich.table.Table`); the best are green."""
        from rich import box
        from rich.markup import escape
        from rich.table import Table

        out = Table(
            title=self.question,
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,  # fits 80 columns
            show_edge=False,
        )
        out.add_column("learner", overflow="fold")  # in a narrow terminal; figures never
        first = self.metrics[0]["name"]
        for metric in self.metrics:
            out.add_column(heading(metric), justify="right", no_wrap=True)
            if metric["name"] == first:
                out.add_column(f"last {self.window:,}", justify="right", no_wrap=True)
        for title in ("per s", "CPU, ms", "kB"):
            out.add_column(title, justify="right", no_wrap=True)
        alarmed = any(run.alarms for run in self.runs)
        if alarmed:
            out.add_column("alarms", justify="right", no_wrap=True)
        for run in self.runs:
            cells = []
            for metric in self.metrics:
                cells.append(self._cell(run, metric, "cumulative"))
                if metric["name"] == first:
                    cells.append(self._cell(run, metric, "window"))
            out.add_row(
                f"{run.name}\n[yellow]{escape(run.stopped)}[/]" if run.stopped else run.name,
                *cells,
                compact(speed) if (speed := self.speed(run)) else "",
                f"{1e3 * run.cpu:,.1f}",
                f"{run.memory_bytes / 1e3:.3g}",
                *([f"{len(run.alarms):,}"] if alarmed else []),
                style="dim" if run.baseline else None,
            )
        return out

    def _cell(self, run: Run, metric: dict[str, str], range: str) -> str:
        values = [other.values[metric["name"]][range] for other in self.runs if not other.stopped]
        best = max(values) if metric["best"] == "high" else min(values)
        value = run.values[metric["name"]][range]
        return f"[bold green]{shown(metric, value)}[/]" if value == best else shown(metric, value)

    def __rich__(self) -> Any:
        return self.table()

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        page = StringIO()
        Console(file=page, width=100_000, color_system=None).print(self.table())
        return page.getvalue()

    def plot(self, path: str | Path | None = None, range: str = "window") -> Any:
        """Draw every metric over time with matplotlib; the figure, also saved if `path` is given.

        `range` is "window", "cumulative" or "fading".
        """
        from .picture import draw

        figure = draw([self], range)
        if path is not None:
            figure.savefig(path)
        return figure

    def to_html(self, path: str | Path) -> Path:
        """Write one self-contained page with interactive curves; needs plotly."""
        from .page import write

        return write([self], path)

    # -- as data -----------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain lists, dicts, numbers and strings."""
        return {
            "question": self.question,
            "made": self.made,
            "step": self.step,
            "rows": self.rows,
            "window": self.window,
            "alpha": self.alpha,
            "delay": self.delay,
            "settings": self.settings(),
            "metrics": self.metrics,
            "marks": [{"row": row, "text": text} for row, text in self.marks.items()],
            "at": self.at.tolist(),
            "learners": [
                {
                    "name": run.name,
                    "learner": run.learner,
                    "params": run.params,
                    "baseline": run.baseline,
                    "values": run.values,
                    "curves": {
                        metric: {range: curve.tolist() for range, curve in of.items()}
                        for metric, of in run.curves.items()
                    },
                    "wall_seconds": run.wall,
                    "cpu_seconds": run.cpu,
                    "rows_per_second": self.speed(run),
                    "memory_bytes": run.memory_bytes,
                    "alarms": run.alarms,
                    "stopped": run.stopped or None,
                }
                for run in self.runs
            ],
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """The same as JSON; also written to `path` if given."""
        text = msgspec.json.encode(self.to_dict()).decode()
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_arrow(self) -> Any:
        """The curves as a pyarrow table: learner, metric, rows, and the three estimates."""
        import pyarrow as pa

        columns: dict[str, list[Any]] = {"learner": [], "metric": [], "rows": []}
        columns |= {range: [] for range in RANGES}
        for run in self.runs:
            for metric, curves in run.curves.items():
                columns["learner"] += [run.name] * len(self.at)
                columns["metric"] += [metric] * len(self.at)
                columns["rows"] += self.at.tolist()
                for range in RANGES:
                    columns[range] += curves[range].tolist()
        return pa.table(columns)

    def to_frame(self) -> Any:
        """The same as a pandas data frame."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise ImportError(
                "Report: to_frame needs pandas (pip install pandas); to_arrow works without."
            ) from None
        return self.to_arrow().to_pandas()


def heading(metric: dict[str, str]) -> str:
    """A metric with its unit."""
    return f"{metric['name']}, {metric['unit']}" if metric["unit"] else metric["name"]


def shown(metric: dict[str, str], value: float) -> str:
    """A value in its unit; a learner that has stopped has none."""
    if math.isnan(value):
        return "-"
    text = f"{100 * value:.1f}" if metric["unit"] == "%" else f"{value:.3f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def compact(n: float) -> str:
    """A large number in few letters: 713k, 1.34M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.3g}{letter}"
    return f"{n:.3g}"


def colours(reports: Sequence[Report]) -> dict[str, str]:
    """A colour for every learner, the same in all reports; guesses are grey."""
    names = dict.fromkeys(run.name for r in reports for run in r.runs if not run.baseline)
    chosen = {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}
    return chosen | {run.name: GREY for r in reports for run in r.runs if run.baseline}


GREY = "#7a7a7a"
# Okabe and Ito's, without the yellow that is lost on white, and two more.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b07d00",
    "#56b4e9",
    "#8c564b",
    "#7b61c9",
)
