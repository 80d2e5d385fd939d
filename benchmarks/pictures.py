"""The results as pictures: ratios of all families, and growth of cost. Drawn by matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .results import Comparison, comparisons, others

COLOURS = {
    "River": "tab:blue",
    "scikit-learn": "tab:orange",
    "MOA": "tab:green",
    "Vowpal Wabbit": "tab:red",
    "NumPy": "tab:gray",
    "FastAPI and River": "tab:purple",
}
POINT = re.compile(r"(?P<axis>stream length|features|labels|budget) (?P<size>[\d,]+), (?P<who>.+)")
AXES = {
    "stream length": "examples learned before",
    "features": "features of an example",
    "labels": "labels",
    "budget": "examples kept",
}


def draw(families: Iterable[dict[str, Any]], folder: Path) -> None:
    """Draw both pictures, into a folder that is made if need be."""
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    families = list(families)
    ratios(families, folder / "benchmarks.png")
    for family in families:
        if family["family"] == "growth":
            growth(family, folder / "growth.png")


def ratios(families: list[dict[str, Any]], path: Path) -> None:
    """A line for each family, a dot for each row: how many times as fast as the peer."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.45 * len(families)), layout="constrained")
    seen: dict[str, Any] = {}
    for y, family in enumerate(families):
        for c in others(family):
            colour = COLOURS.get(c.peer, "black")
            dot = axes.scatter(c.ratio.middle, y, color=colour, s=28, alpha=0.7, linewidths=0)
            seen.setdefault(c.peer, dot)
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(families)), [family["title"] for family in families])
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as the peer (left of the line: slower)")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}×")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(seen.values(), seen.keys(), loc="outside upper center", ncols=len(seen) or 1)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def growth(family: dict[str, Any], path: Path) -> None:
    """A panel for each axis: time of an example over its size, ours solid, a peer's dashed."""
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained")
    for (axis, label), panel in zip(AXES.items(), panels.flat, strict=True):
        for i, (who, curves) in enumerate(curves_of(family, axis).items()):
            for side, points in curves.items():
                ours = side == "onstream"
                panel.plot(
                    *zip(*sorted(points), strict=True),
                    color=f"C{i}",
                    linestyle="-" if ours else "--",
                    marker="o",
                    markersize=4,
                    label=f"{who}: {side}",
                )
        panel.set(xscale="log", yscale="log", xlabel=label, ylabel="µs an example")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def curves_of(family: dict[str, Any], axis: str) -> dict[str, dict[str, list[Any]]]:
    """Learner to side to points (size, microseconds)."""
    found: dict[str, dict[str, list[Any]]] = {}
    for row in family["rows"]:
        match = POINT.fullmatch(row["name"])
        if match is None or match["axis"] != axis or "error" in row:
            continue
        size = int(match["size"].replace(",", ""))
        curves = found.setdefault(match["who"], {})
        alone = Comparison(row["name"], row["sides"][0], row["sides"][0])
        curves.setdefault("onstream", []).append((size, 1e6 * alone.our_time.middle))
        for c in comparisons(row):
            curves.setdefault(c.peer, []).append((size, 1e6 * c.rival_time.middle))
    return found
