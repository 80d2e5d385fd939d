"""What came out of an evaluation: a table, a picture, a page, data."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..persist.files import coerce_path
from .figures import encodable, figure

RANGES = {
    "window": "the last {window:,} {step}s",
    "cumulative": "all {step}s so far",
    "fading": "fading memory, α = {alpha:g}",
}

WEIGHTED = "the metrics are weighted by w, like what is learned"


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
    renewed: list[list[int]] = field(default_factory=list)  # the same of each member of an ensemble
    judged: int = 0  # examples whose prediction was judged
    picture: str = ""  # of what was learned, SVG; for learners that can draw themselves
    diverged: int | None = None  # row of the first prediction that was far beyond all targets
    remark: str = ""  # what else there is to know: that it diverged, or cannot be drawn
    added: bool = False  # a baseline that nobody asked for
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
    weighted: bool = False  # rows had weights, by which the metrics are weighted, too
    made: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def run(self, name: str) -> Run:
        """The run of one learner."""
        for run in self.runs:
            if run.name == encodable(str(name)):  # as it was made of whatever names the learner
                return run
        known = ", ".join(run.name for run in self.runs)
        raise KeyError(f"Report: there is no learner {name!r}; there are: {known}.")

    def value(self, learner: str, metric: str | None = None, range: str = "cumulative") -> float:
        """A final value; `range` is "cumulative", "window" or "fading".

        With a single learner (baselines that were added do not count) its name can be left out:
        `value("Accuracy")`, `value("Accuracy", "window")`.
        """
        learners = [run for run in self.runs if not run.added]
        if metric is not None and metric in RANGES and len(learners) == 1:
            range, metric = metric, None
        if metric is None:
            if len(learners) != 1:
                known = ", ".join(run.name for run in self.runs)
                raise KeyError(
                    f"Report: whose {learner}? Say value(learner, metric); there are: {known}."
                )
            learner, metric = learners[0].name, learner
        values = self.run(learner).values
        names = {metric["title"]: metric["name"] for metric in self.metrics}
        names |= {name: name for name in values}
        if metric not in names:
            raise KeyError(f"Report: there is no metric {metric!r}; there are: {', '.join(names)}.")
        check_range(range)
        return values[names[metric]][range]

    def speed(self, run: Run) -> float | None:
        """Rows per second; None if it took no time, or not all of them."""
        return self.rows / run.wall if run.wall and not run.stopped else None

    def about(self, range: str) -> str:
        """What a range looks at, in words."""
        window = min(self.window, self.rows or self.window)
        return RANGES[range].format(window=window, step=self.step, alpha=self.alpha)

    @property
    def opening(self) -> str:
        """The range to look at first: the window, unless its curve begins too late to be one."""
        return "window" if self.rows >= 2 * self.window else "cumulative"

    def settings(self) -> dict[str, str]:
        """Every parameter of the evaluation, in words."""
        facts = {
            "protocol": "prequential: predict each example, judge the prediction, then learn it",
            f"{self.step}s": f"{self.rows:,}",
            "window": f"{self.window:,} {self.step}s",
            "fading factor α": f"{self.alpha:g}",
            "label delay": f"{self.delay:,} {self.step}s; a learner that knows nothing is not "
            "judged before the first label arrives"
            if self.delay
            else "none",
            "metrics": ", ".join(metric["what"] for metric in self.metrics),
        }
        if self.weighted:
            facts["weights"] = WEIGHTED
        for row, text in self.marks.items():
            facts[f"mark at {row:,}"] = text
        return facts

    # -- for the eye -------------------------------------------------------------------------------

    def table(self) -> Any:
        """A coloured table for the terminal, as wide as that is; the best are green."""
        from .table import ResultTable

        return ResultTable(self)

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

    def plot(self, path: str | Path | IO[bytes] | None = None, range: str | None = None) -> Any:
        """Draw every metric over time with matplotlib; the figure, also saved if `path` is given.

        `range` is "window", "cumulative" or "fading"; by default the window, or "cumulative" if
        there are not twice as many rows as in one.
        """
        from .picture import draw, save

        if range is not None:
            check_range(range)
        out: Any = path if path is None or hasattr(path, "write") else checked_path(path)
        figure = draw([self], range)
        if out is not None:
            save(figure, out)
        return figure

    def to_html(self, path: str | Path) -> Path:
        """Write one self-contained page with interactive curves; needs plotly.

        It needs no network, since plotly's script is in it: about 5 MB, whatever it shows.
        `onstream.evaluate.page.write` puts several reports on one page.
        """
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
                    "members_renewed": run.renewed,
                    "judged": run.judged,
                    "diverged": run.diverged,
                    "remark": run.remark or None,
                    "stopped": run.stopped or None,
                }
                for run in self.runs
            ],
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """The same as JSON; also written to `path` if given."""
        text = msgspec.json.encode(self.to_dict()).decode()
        if path is not None:
            checked_path(path).write_text(text, encoding="utf-8")
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


def check_range(range: str) -> None:
    """Refuse what is no estimate."""
    if range not in RANGES:
        raise KeyError(f"Report: range must be one of {', '.join(RANGES)}, got {range!r}.")


def checked_path(path: Any) -> Path:
    """Where a file can be written; an error says why that cannot be."""
    target = Path(coerce_path("Report", path))
    if target.is_dir():
        message = "Report: this is a folder; name a file in it"
        raise IsADirectoryError(errno.EISDIR, message, str(path))
    if not target.parent.is_dir():
        message = f"Report: there is no folder {str(target.parent)!r}; make it first"
        raise FileNotFoundError(errno.ENOENT, message, str(path))
    return target


def heading(metric: dict[str, str]) -> str:
    """A metric, the label it judges, and its unit: "F1 of 'spam', %"."""
    return f"{metric['title']}, {metric['unit']}" if metric["unit"] else metric["title"]


def shown(metric: dict[str, str], value: float) -> str:
    """A value in its unit; a learner that has stopped has none."""
    return figure(value, metric["unit"])


@dataclass
class Scale:
    """What part of an axis is shown, and whose curves leave it: they would flatten all others."""

    low: float
    high: float
    off: list[str]  # learners that are off the scale somewhere


def scale(report: Report, metric: dict[str, str], range: str) -> Scale | None:
    """The part of the axis to show, if some curves would flatten the others; else None.

    Those are the errors of learners that diverged and, of what can be at most 1, values below -3
    while the best learner is mostly above.
    """
    curves = {run.name: run.curves[metric["name"]][range] for run in report.runs}
    curves = {name: curve[np.isfinite(curve)] for name, curve in curves.items()}
    curves = {name: curve for name, curve in curves.items() if len(curve)}
    if metric["best"] == "low":
        off = [run.name for run in report.runs if run.diverged is not None]
        kept = [curve for name, curve in curves.items() if name not in off]
    else:
        off = [name for name, curve in curves.items() if curve.min() < -3.0]
        kept = [curve[curve >= -3.0] for curve in curves.values() if np.median(curve) >= -3.0]
    if not off or not kept:
        return None
    shown = np.concatenate(kept)
    low, high = float(shown.min()), float(shown.max())
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return Scale(0.0 if metric["best"] == "low" else low - room, high + room, off)


def colours(reports: Sequence[Report]) -> dict[str, str]:
    """A colour for every learner, the same in all reports; guesses are grey."""
    names = dict.fromkeys(run.name for r in reports for run in r.runs if not run.baseline)
    chosen = {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}
    guesses = dict.fromkeys(run.name for r in reports for run in r.runs if run.baseline)
    return chosen | {name: GREYS[i % len(GREYS)] for i, name in enumerate(guesses)}


def dashes(reports: Sequence[Report]) -> dict[str, str]:
    """How the line of every learner is drawn: dashed for guesses, dotted beyond all colours."""
    names = dict.fromkeys(run.name for r in reports for run in r.runs if not run.baseline)
    chosen = {name: DASHES[i // len(PALETTE) % len(DASHES)] for i, name in enumerate(names)}
    return chosen | {run.name: "dash" for r in reports for run in r.runs if run.baseline}


DASHES = ("solid", "dot", "dashdot")
GREYS = ("#7a7a7a", "#b3a58f", "#4d5a66")
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
