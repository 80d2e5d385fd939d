"""Reports as a picture for a file, drawn with matplotlib."""

from collections.abc import Sequence
from typing import Any

from .report import Report, colours, heading, shown


def draw(reports: Sequence[Report], range: str = "window", metrics: int | None = None) -> Any:
    """One panel per report and metric (the first `metrics` of each); a matplotlib Figure.

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

    panels = [(report, metric) for report in reports for metric in report.metrics[:metrics]]
    colour = colours(reports)
    page = Figure(
        figsize=(13, 4.8 * len(panels)), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.15)
    )
    axes = page.subplots(len(panels), 1, squeeze=False)[:, 0]
    for panel, (report, metric) in zip(axes, panels, strict=True):
        scale = 100.0 if metric["unit"] == "%" else 1.0
        # The first window is not full yet: its curve would start with noise.
        from_row = min(report.window, report.rows) if range == "window" else 0
        full = report.at >= from_row
        for run in report.runs:
            value = shown(metric, run.values[metric["name"]]["cumulative"])
            panel.plot(
                report.at[full],
                scale * run.curves[metric["name"]][range][full],
                label=f"{run.name}: {value} {metric['unit']}",
                color=colour[run.name],
                linestyle="--" if run.baseline else "-",
                linewidth=2.0,
            )
            for alarm in run.alarms:
                panel.plot(
                    alarm, 0.02, "v", color=colour[run.name], transform=panel.get_xaxis_transform()
                )
        for row, text in report.marks.items():
            panel.axvline(row, color="black", linestyle=":", linewidth=2.0)
            panel.annotate(
                text,
                (row, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-8, -10),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=15,
            )
        panel.set_title(report.question, fontsize=19, loc="left", pad=12)
        panel.set_xlabel(f"{report.step}s seen", fontsize=16)
        panel.set_ylabel(f"{heading(metric)}\n({report.about(range)})", fontsize=16)
        panel.tick_params(labelsize=14)
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_xlim(0, max(report.rows, 1))
        if metric["best"] == "low":
            panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(
            title=f"over all {report.rows:,} {report.step}s",
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),  # beside the lines, never over them
            fontsize=14,
            title_fontsize=14,
            alignment="left",
            frameon=False,
        )
    return page
