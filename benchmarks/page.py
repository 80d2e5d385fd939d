"""The results as a Markdown page; also the figures as text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .results import Comparison, Spread, comparisons, disturbed

HEAD = """\
# Benchmarks

Written by `make bench` (`python -m benchmarks`) from `benchmarks/results/`; not edited by hand.

Every peer runs in an environment of its own, from PyPI; all sides of a row are measured in one
run, in turn, each in its own process with one thread, the garbage collector off. Times are per
example: the median of the rounds (smallest–largest). A ratio is the median of the ratios of the
rounds: 12× means that onstream is twelve times as fast, below 1× that it is slower. Scores are of
the same run. Data are read into arrays or mappings beforehand; nothing of that is timed.
"""

MEMORY = """\
Of the model, what its own library counts (for scikit-learn, the arrays it holds); of the process,
what is resident, with the libraries and the data, and what one run adds to it.

"""


def page(families: Iterable[dict[str, Any]]) -> str:
    """Write the whole page: one section per family."""
    return "\n".join([HEAD, *(section(family) for family in families)])


def section(family: dict[str, Any]) -> str:
    """One family: where and how it was measured, speed, memory, import time."""
    found = [c for row in family["rows"] for c in comparisons(row)]
    parts = [f"## {family['title']}\n", _setting(family), _speed(found)]
    parts += [
        f"**{row['name']} failed**: {row['error']}\n" for row in family["rows"] if "error" in row
    ]
    parts += [_disturbance(found), "### Memory\n", _memory(found)]
    parts += ["### Import time\n", _imports(family["imports"])]
    return "\n".join(part for part in parts if part)


def line(c: Comparison) -> str:
    """One comparison as a line of text."""
    target = f", target {times(c.rival['target'])}: {c.verdict}" if c.verdict else ""
    return (
        f"{c.row}: {spread(c.our_time)} against {spread(c.rival_time)} of {c.rival['name']}, "
        f"{times(c.ratio.middle)}{target}{''.join(f'; {s}' for s in _scores(c))}"
    )


def import_line(one: dict[str, Any]) -> str:
    """One import as a line of text."""
    return f"{one['peer']}: {one['statement']}: {spread(Spread.of(one['seconds']))}"


def _setting(family: dict[str, Any]) -> str:
    lines = [
        f"Measured on {family['date']} with `{family['command']}`.\n",
        "- Machine: {processor}, {cores} cores, {memory}; {system}".format(**family["machine"]),
    ]
    for peer, versions in family["versions"].items():
        packages = ", ".join(f"{name} {version}" for name, version in versions.items())
        lines.append(f"- Side of {peer}: {packages}")
    return "\n".join(lines) + "\n"


def _speed(found: list[Comparison]) -> str:
    head = (
        "row",
        "onstream",
        "rival",
        "its time",
        "ratio",
        "target",
        "verdict",
        "score, onstream / rival",
    )
    return _table(
        head,
        [
            (
                c.row,
                spread(c.our_time),
                c.rival["name"],
                spread(c.rival_time),
                spread(c.ratio, times),
                f"≥ {times(c.rival['target'])}" if c.verdict else "",
                "**missed**" if c.verdict == "missed" else c.verdict,
                "<br>".join(_scores(c)),
            )
            for c in found
        ],
    )


def _disturbance(found: list[Comparison]) -> str:
    sides = {
        f"{c.row} ({s['name']})": None for c in found for s in (c.ours, c.rival) if disturbed(s)
    }
    if not sides:
        return ""
    return f"The machine was busy with other work during: {'; '.join(sides)}.\n"


def _memory(found: list[Comparison]) -> str:
    rows = {}
    for c in found:
        for side in (c.ours, c.rival):
            rows[c.row, side["name"]] = (
                c.row,
                side["name"],
                size(side["model_bytes"]),
                size(side["extra_bytes"]),
                size(side["peak_bytes"]),
            )
    return MEMORY + _table(
        ("row", "side", "model", "peak of the process above its start", "peak of the process"),
        rows.values(),
    )


def _imports(imports: list[dict[str, Any]]) -> str:
    rows = []
    for one in imports:
        seconds, limit = Spread.of(one["seconds"]), one["limit"]
        verdict = "" if limit is None else "met" if seconds.middle <= limit else "**missed**"
        target = "" if limit is None else f"≤ {duration(limit)}"
        rows.append((one["peer"], f"`{one['statement']}`", spread(seconds), target, verdict))
    return "In a fresh interpreter, less the start of the interpreter itself.\n\n" + _table(
        ("side", "statement", "time", "target", "verdict"), rows
    )


def _scores(c: Comparison) -> list[str]:
    return [f"{name} {ours:.4f} / {theirs:.4f}" for name, ours, theirs in c.scores]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def duration(seconds: float) -> str:
    """Three significant digits in the unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if abs(seconds) * scale >= 1.0:
            return f"{_three(seconds * scale)} {unit}"
    return f"{_three(seconds * 1e9)} ns"


def size(amount: float | None) -> str:
    """Bytes in the unit that fits."""
    if amount is None:
        return "–"
    for unit, scale in (("B", 1.0), ("kB", 1e3), ("MB", 1e6)):
        if amount < 1000 * scale:
            return f"{_three(amount / scale)} {unit}"
    return f"{_three(amount / 1e9)} GB"


def times(ratio: float) -> str:
    """Show a ratio, as in 12×."""
    return f"{_three(ratio)}×"


def spread(s: Spread, show: Any = duration) -> str:
    """Median and range, as in 610 ns (605 ns–640 ns)."""
    return f"{show(s.middle)} ({show(s.low)}–{show(s.high)})"


def _three(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
