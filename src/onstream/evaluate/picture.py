"""Reports as a picture for a file, drawn with matplotlib."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import IO, Any

from ..base.printable import printable
from .report import Report, colours, dashes, heading, scale, shown

LONGEST = 200  # letters of a name in the key
STYLES = {"solid": "-", "dot": ":", "dashdot": "-.", "dash": "--"}
TICKS = 0.1  # height of the ticks of all members, of the panel


def draw(reports: Sequence[Report], range: str | None = None, metrics: int | None = None) -> Any:
    """One panel per report and metric (the first `metrics` of each); a matplotlib Figure.

    Without a `range`, each report is drawn over the one that suits its length.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
        from matplotlib.ticker import StrMethodFormatter
    except ImportError:
        raise ImportError(
            'Report: a picture needs matplotlib, pip install "onstream[plot]".'
        ) from None

    class Picture(Figure):
        """A figure that notebooks show by themselves."""

        def _repr_png_(self) -> bytes:
            page = BytesIO()
            self.savefig(page, format="png")
            return page.getvalue()

    panels = [(report, metric) for report in reports for metric in report.metrics[:metrics]]
    colour, dash = colours(reports), dashes(reports)
    page = Picture(
        figsize=(13, 4.8 * len(panels)), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.15)
    )
    axes = page.subplots(len(panels), 1, squeeze=False)[:, 0]
    for panel, (report, metric) in zip(axes, panels, strict=True):
        factor = 100.0 if metric["unit"] == "%" else 1.0
        over = range or report.opening
        part = scale(report, metric, over)
        # The first window is not full yet: its curve would start with noise.
        from_row = min(report.window, report.rows) if over == "window" else 0
        full = report.at >= from_row
        marker = "o" if full.sum() == 1 else ""  # one point makes no line
        lines, labels = [], []
        for run in report.runs:
            value = shown(metric, run.values[metric["name"]]["cumulative"])
            off = ", off the scale" if part is not None and run.name in part.off else ""
            name = run.name if len(run.name) <= LONGEST else f"{run.name[:LONGEST]}…"
            label = plain(f"{name}: {value} {metric['unit']}".rstrip() + off)
            labels.append(fill(label, 40))  # a long name takes several lines, not the lines' room
            lines += panel.plot(
                report.at[full],
                factor * run.curves[metric["name"]][over][full],
                color=colour[run.name],
                linestyle=STYLES[dash[run.name]],
                marker=marker,
                clip_on=not marker,
                linewidth=2.0,
            )
            for alarm in run.alarms:
                panel.plot(
                    alarm, 0.02, "v", color=colour[run.name], transform=panel.get_xaxis_transform()
                )
            for member, rows in enumerate(run.renewed):  # a line of ticks for each member
                panel.plot(
                    rows,
                    [0.05 + TICKS * member / len(run.renewed)] * len(rows),
                    "|",
                    color=colour[run.name],
                    transform=panel.get_xaxis_transform(),
                )
        for row, text in report.marks.items():
            if row > report.rows:  # not on the axis; too far away, it could not even be drawn
                continue
            panel.axvline(row, color="black", linestyle=":", linewidth=2.0)
            note = panel.annotate(
                plain(text),
                (row, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-8, -10),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=15,
            )
            note.set_in_layout(False)  # a long one does not narrow the picture
        if metric is report.metrics[0]:  # the panels below answer it, too
            panel.set_title(plain(report.question), fontsize=19, loc="left", pad=12)
        panel.set_xlabel(plain(f"{report.step}s seen"), fontsize=16)
        about = f"({report.about(over)})"
        panel.set_ylabel(f"{plain(heading(metric))}\n{plain(about)}", fontsize=16)
        panel.tick_params(labelsize=14)
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_xlim(0, max(report.rows, 1))
        if part is not None:
            panel.set_ylim(factor * part.low, factor * part.high)
        elif metric["best"] == "low":
            panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(
            lines,
            labels,
            title=fill(plain(f"over all {report.rows:,} {report.step}s"), 40),
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),  # beside the lines, never over them
            fontsize=14,
            title_fontsize=14,
            alignment="left",
            frameon=False,
        )
    return page


def save(figure: Any, path: Path | IO[bytes]) -> None:
    """Write a picture to a file, whose ending says of what kind."""
    kinds = figure.canvas.get_supported_filetypes()
    ending = path.suffix[1:].lower() if isinstance(path, Path) else ""
    if ending and ending not in kinds:
        raise ValueError(
            f"Report: a picture cannot be written as .{ending}; use .png, .svg or .pdf."
        )
    figure.savefig(path)


def plain(text: str) -> str:
    """Text as it is: a dollar begins no formula, an underscore hides no line of the key."""
    text = printable(text).replace("$", r"\$")
    return f"\u2060{text}" if text.startswith("_") else text
