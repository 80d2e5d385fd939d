"""Raw results on disk, and what they say: medians, ratios, verdicts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Spread:
    """A median and the smallest and largest value around it."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True)
class Comparison:
    """Ours against one rival: seconds per example, and how many times faster we are."""

    row: str
    ours: dict[str, Any]
    rival: dict[str, Any]

    @property
    def our_time(self) -> Spread:
        return _per_example(self.ours)

    @property
    def rival_time(self) -> Spread:
        return _per_example(self.rival)

    @property
    def ratio(self) -> Spread:
        """Of the two sides in the same round: what slows the machine slows both."""
        pairs = zip(self.ours["seconds"], self.rival["seconds"], strict=True)
        scale = self.ours["n"] / self.rival["n"]
        return Spread.of([scale * theirs / our for our, theirs in pairs])

    @property
    def verdict(self) -> str:
        """``met`` or ``missed``, or nothing where there is no target."""
        if self.rival["target"] is None:
            return ""
        return "met" if self.ratio.middle >= self.rival["target"] else "missed"

    @property
    def scores(self) -> list[tuple[str, float, float]]:
        """(name, ours, rival's) of every score both sides have."""
        ours, theirs = self.ours["scores"], self.rival["scores"]
        return [(name, ours[name], theirs[name]) for name in ours if name in theirs]


def comparisons(row: dict[str, Any]) -> list[Comparison]:
    """Our side, which comes first, against each of the others; nothing if the row failed."""
    ours, *rivals = row.get("sides", [{}])
    return [Comparison(row["name"], ours, rival) for rival in rivals]


def disturbed(side: dict[str, Any]) -> bool:
    """Whether the process often waited: other work on the machine (or on a disk)."""
    return bool(median(side["seconds"]) > 1.1 * median(side["processor"]))


def save(family: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{family['family']}.json").write_text(json.dumps(family, indent=1) + "\n")


def load_all() -> list[dict[str, Any]]:
    """Read the families measured so far, by name."""
    return [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]


def _per_example(side: dict[str, Any]) -> Spread:
    return Spread.of([seconds / side["n"] for seconds in side["seconds"]])
