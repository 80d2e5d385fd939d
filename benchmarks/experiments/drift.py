"""How soon, how often and how wrongly each drift detector speaks: the table of docs/drift.md.

    python -m benchmarks.experiments.drift [docs/drift.md]

Prints the table; with a page, puts it between its two marks.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from onstream.drift import ADWIN, DDM, EDDM, HDDM, KSWIN, PageHinkley

from .page import table, write_part

RUNS = 100
BEFORE, AFTER = 1000, 2000
STEADY = 1_000_000
DETECTORS = {
    "ADWIN": ADWIN(),
    "DDM": DDM(),
    "DDM, min_errors=30": DDM(min_errors=30),
    "EDDM": EDDM(),
    'HDDM "A"': HDDM(),
    'HDDM "W"': HDDM(test="W"),
    "PageHinkley": PageHinkley(),
    "KSWIN": KSWIN(),
    "KSWIN, alpha=1e-4": KSWIN(alpha=1e-4),
}


def errors(seed: int, chances: np.ndarray) -> np.ndarray:
    return (np.random.default_rng(seed).random(len(chances)) < chances).astype(float)


def abrupt(low: float, high: float) -> np.ndarray:
    return np.concatenate([np.full(BEFORE, low), np.full(AFTER, high)])


def gradual(low: float, high: float, width: int = 1000) -> np.ndarray:
    ramp = np.clip((np.arange(BEFORE + AFTER) - BEFORE) / width, 0.0, 1.0)
    return low + (high - low) * ramp


STREAMS = {
    ".2 to .8 at once": abrupt(0.2, 0.8),
    ".2 to .4 at once": abrupt(0.2, 0.4),
    ".2 to .6 over 1000": gradual(0.2, 0.6),
}


def found(detector: object, chances: np.ndarray) -> str:
    """Share of changes found, median and longest delay."""
    delays = []
    for seed in range(RUNS):
        alarms = detector.clone().update_many(errors(seed, chances))
        delays += [int(i) - BEFORE for i in alarms if i >= BEFORE][:1]
    if not delays:
        return "0 %"
    return f"{len(delays) / RUNS:.0%}, {np.median(delays):.0f} / {max(delays)}"


def steady(detector: object) -> tuple[int, int, float]:
    """False alarms in 200 streams of 5,000 and in one of 10⁶; microseconds for each value."""
    short = (errors(seed, np.full(5000, 0.3)) for seed in range(200))
    often = sum(len(detector.clone().update_many(values)) for values in short)
    values = errors(7, np.full(STEADY, 0.3))
    detector = detector.clone()
    start = time.process_time()
    alarms = detector.update_many(values)
    return often, len(alarms), (time.process_time() - start) / STEADY * 1e6


def report() -> str:
    head = ["detector", *STREAMS, "false, short", "false, long", "µs a value"]
    lines = []
    for name, detector in DETECTORS.items():
        told = [found(detector, chances) for chances in STREAMS.values()]
        short, long, cost = steady(detector)
        lines.append([name, *told, f"{short:,}", f"{long:,}", f"{cost:.3f}"])
    return table(head, lines)


def main() -> None:
    text = report()
    print(text)
    for name in sys.argv[1:]:
        write_part("table", text, Path(name))


if __name__ == "__main__":
    main()
