"""The results as a Markdown page; also the figures as text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .results import Comparison, Spread, comparisons, others

HEAD = """\
# Benchmarks

Written by `make bench` (`python -m benchmarks`) from `benchmarks/results/`; not edited by hand.

Every peer runs in an environment of its own, from PyPI; all sides of a row are measured in one
run, in turn, each in its own process with one thread, the garbage collector off. Times are per
example: the median of the rounds (smallest–largest). A ratio is the median of the ratios of the
rounds: 12× means that onstream is twelve times as fast, below 1× that it is slower. Scores are of
the same run. Data are read into arrays or mappings beforehand; nothing of that is timed. Where
other work on the machine made a side wait, the times of the row are processor time, marked CPU.

The whole page anew, on a quiet machine: `make bench ROUNDS=3 RESUME=1`; the same command goes on
where it was interrupted. It needs the data sets of `../shared/data`, and Java for MOA.
"""
ALL = """\
## All in one look

![Ratios of all rows, by family](images/benchmarks.png)

Every dot is a row of a table below. Rows that set onstream beside itself are left out here.

"""
GROWTH = """\
![What an example costs as streams, features, labels and budgets grow](images/growth.png)
"""

MEMORY = """\
Of the model, what its own library counts (for scikit-learn, the arrays it holds); of the process,
what is resident, with the libraries and the data, and what one run adds to it.

"""


def page(families: Iterable[dict[str, Any]]) -> str:
    """Write the whole page: one section per family."""
    families = list(families)
    return "\n".join([HEAD, *summary(families), *(section(family) for family in families)])


def summary(families: list[dict[str, Any]]) -> list[str]:
    """All families in one table, and every row that is lost."""
    rows, lost = [], []
    for family in families:
        found = others(family)
        peers = dict.fromkeys(c.peer for c in found)
        for peer in peers:
            some = [c for c in found if c.peer == peer]
            aims = [c for c in some if c.verdict]
            rows.append(
                (
                    f"[{family['title']}](#{family['title'].lower().replace(' ', '-')})",
                    peer,
                    spread(Spread.of([c.ratio.middle for c in some]), times),
                    f"{sum(c.ratio.middle >= 1.0 for c in some)} of {len(some)}",
                    f"{sum(c.verdict == 'met' for c in aims)} of {len(aims)}" if aims else "",
                )
            )
        lost += [(family["title"], c) for c in found if c.ratio.middle < 1.0]
    head = (
        "family",
        "peer",
        "ratio: median row (least–most)",
        "rows that are faster",
        "targets met",
    )
    parts = [ALL + _table(head, rows), "### Rows that onstream loses\n"]
    told = [(title, c.row, c.rival["name"], spread(c.ratio, times)) for title, c in lost]
    parts.append(_table(("family", "row", "rival", "ratio"), told) if told else "None.\n")
    return parts


def section(family: dict[str, Any]) -> str:
    """One family: where and how it was measured, speed, memory, import time."""
    found = [c for row in family["rows"] for c in comparisons(row)]
    parts = [f"## {family['title']}\n", _setting(family)]
    parts += [GROWTH] if family["family"] == "growth" else []
    parts += [_speed(found), _alone(family)]
    parts += [
        f"**{row['name']} failed**: {row['error']}\n" for row in family["rows"] if "error" in row
    ]
    parts += ["### Memory\n", _memory(found)]
    parts += ["### Import time\n", _imports(family["imports"])] if family["imports"] else []
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
                c.row + (" (CPU)" if c.clock == "processor" else ""),
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


def _alone(family: dict[str, Any]) -> str:
    """Rows without a rival."""
    told = []
    for row in family["rows"]:
        if len(row.get("sides", ())) == 1:
            c = Comparison(row["name"], *(row["sides"] * 2))
            told.append((c.row, spread(c.our_time)))
    return _table(("row without a rival", "onstream"), told) if told else ""


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
