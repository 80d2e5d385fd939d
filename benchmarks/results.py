"""Raw results on disk, and what they say: medians, ratios, verdicts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
FOLDER = HERE / "results"
PEERS = {
    "frames": "scikit-learn",
    "moa": "MOA",
    "river": "River",
    "service": "FastAPI and River",
    "vw": "Vowpal Wabbit",
}


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
    def peer(self) -> str:
        """Whose the rival is."""
        name = self.rival["name"]
        if "NumPy" in name:
            return "NumPy"
        if self.rival["peer"] == "frames" and name.startswith("River"):
            return "River"
        return PEERS.get(self.rival["peer"], self.rival["peer"])

    @property
    def clock(self) -> str:
        """Which seconds count: the clock's, or the processor's where a side often waited."""
        return "processor" if disturbed(self.ours) or disturbed(self.rival) else "seconds"

    @property
    def our_time(self) -> Spread:
        return _per_example(self.ours, self.clock)

    @property
    def rival_time(self) -> Spread:
        return _per_example(self.rival, self.clock)

    @property
    def ratio(self) -> Spread:
        """Of the two sides in the same round: what slows the machine slows both."""
        pairs = zip(self.ours[self.clock], self.rival[self.clock], strict=True)
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


def others(family: dict[str, Any]) -> list[Comparison]:
    """The comparisons of a family with anybody but onstream itself."""
    found = [c for row in family["rows"] for c in comparisons(row)]
    return [c for c in found if c.peer != "onstream"]


def disturbed(side: dict[str, Any]) -> bool:
    """Whether the process often waited: other work on the machine (or on a disk)."""
    return bool(median(side["seconds"]) > 1.1 * median(side["processor"]))


def save(family: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{family['family']}.json").write_text(json.dumps(family, indent=1) + "\n")


def load_all() -> list[dict[str, Any]]:
    """Read the families measured so far, by name; results of experiments are lists."""
    found = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return [family for family in found if isinstance(family, dict)]


def sources() -> str:
    """A digest of what is measured and what measures: as long as it is the same, results stay."""
    digest = hashlib.sha256()
    for folder in (HERE.parent / "src", HERE):
        for path in sorted(folder.rglob("*.py*")):
            if path.suffix in (".py", ".pyx", ".pxd"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def is_measured(family: str, command: str) -> bool:
    """Whether its results are those of this command over the present sources, none failed."""
    path = FOLDER / f"{family}.json"
    if not path.exists():
        return False
    old = json.loads(path.read_text())
    whole = not any("error" in row for row in old["rows"])
    return whole and old.get("sources") == sources() and old["command"] == command


def _per_example(side: dict[str, Any], clock: str) -> Spread:
    return Spread.of([seconds / side["n"] for seconds in side[clock]])
