"""What a race looks like afterwards: a table for the terminal, a picture for a file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich import box
from rich.table import Table

from .race import Result, Stream

GREY = "#7a7a7a"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito's


def table(stream: Stream, results: Sequence[Result]) -> Table:
    """Tabulate one race; the lowest losses are green, the baseline is dim."""
    out = Table(
        title=stream.title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,  # fits 80 columns
    )
    out.add_column("learner", no_wrap=True)
    for heading in (
        f"{stream.measure}, {stream.unit}",
        f"last {stream.window:,}",
        "examples/s",
        "time, ms",
        "bytes",
    ):
        out.add_column(heading, justify="right", no_wrap=True)
    means = [result.mean for result in results]
    recents = [float(result.recent(stream.window)[-1]) for result in results]
    for result, mean, recent in zip(results, means, recents, strict=True):
        out.add_row(
            result.name,
            _marked(_figure(stream, mean), mean == min(means)),
            _marked(_figure(stream, recent), recent == min(recents)),
            f"{result.per_second:,.0f}",
            f"{result.seconds * 1e3:,.1f}",
            f"{result.memory_bytes:,}",
            style="dim" if result.baseline else None,
        )
    return out


def _figure(stream: Stream, loss: float) -> str:
    return f"{100 * loss:.1f}" if stream.unit == "%" else f"{loss:.2f}"


def _marked(text: str, best: bool) -> str:
    return f"[bold green]{text}[/]" if best else text


def plot(path: Path, races: Sequence[tuple[Stream, Sequence[Result]]]) -> None:
    """Draw the recent loss of every learner over time, one panel per race, into `path`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.ticker import StrMethodFormatter

    layout = ConstrainedLayoutEngine(h_pad=0.15)
    page = Figure(figsize=(13, 4.8 * len(races)), dpi=110, layout=layout)
    learners = dict.fromkeys(r.name for _, results in races for r in results if not r.baseline)
    colours = dict(zip(learners, COLOURS, strict=False))
    panels = page.subplots(len(races), 1, squeeze=False)[:, 0]
    for panel, (stream, results) in zip(panels, races, strict=True):
        scale = 100.0 if stream.unit == "%" else 1.0
        at = np.arange(stream.window, len(stream.y) + 1)
        for result in results:
            panel.plot(
                at,
                scale * result.recent(stream.window),
                label=f"{result.name}: {_figure(stream, result.mean)} {stream.unit}",
                color=GREY if result.baseline else colours[result.name],
                linestyle="--" if result.baseline else "-",
                linewidth=2.0,
            )
        if stream.drift is not None:
            panel.axvline(stream.drift, color="black", linestyle=":", linewidth=2.0)
            panel.annotate(
                "the concept changes",
                (stream.drift, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-8, -10),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=15,
            )
        panel.set_title(stream.title, fontsize=19, loc="left", pad=12)
        panel.set_xlabel(f"{stream.step}s seen", fontsize=16)
        panel.set_ylabel(
            f"{stream.measure}, {stream.unit}\n(last {stream.window:,} {stream.step}s)", fontsize=16
        )
        panel.tick_params(labelsize=14)
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_xlim(0, len(stream.y))
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(
            title=f"over all {len(stream.y):,} {stream.step}s",
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            fontsize=14,
            title_fontsize=14,
            alignment="left",
            frameon=False,
        )
    page.savefig(path)
