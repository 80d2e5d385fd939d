"""Prequential accuracy of the ensembles beside MOA's: the table of docs/ensembles.md.

    python -m benchmarks.experiments.ensemble_accuracy DATA_FOLDER
        [--rivals moa] [--only TEXT] [--rows 100000]

The streams are those of tree_accuracy. Each line has the accuracy of the two guesses that anybody
can make (the label before, the label that came most often) and for each ensemble of ten members
accuracy, kappa against the label before, and CPU microseconds per example; MOA's likewise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    LeveragingBagging,
    StreamingRandomPatchesClassifier,
)

from .. import environments, moa
from .tree_accuracy import columns_of, files, generated

ENSEMBLES = {
    "ARF": (AdaptiveRandomForestClassifier, "(meta.AdaptiveRandomForest -s 10)"),
    "SRP": (StreamingRandomPatchesClassifier, "(meta.StreamingRandomPatches -s 10)"),
    "LeveragingBagging": (LeveragingBagging, "(meta.LeveragingBag -l trees.HoeffdingTree -s 10)"),
}


def guesses(y: np.ndarray) -> tuple[float, float]:
    """Accuracy of the label before, and of the most frequent one so far."""
    counts: Counter[Any] = Counter()
    labels, hits = y.tolist(), 0
    for label in labels:
        hits += bool(counts) and counts.most_common(1)[0][0] == label
        counts[label] += 1
    return float(np.mean(y[1:] == y[:-1])), hits / len(labels)


def cell(right: float, no_change: float, micros: float) -> str:
    """Accuracy in per cent, kappa against the label before, time."""
    kappa = (right - no_change) / (1.0 - no_change)
    return f"{100 * right:.2f} ({kappa:.3f}) | {micros:.1f}"


def ours(X: dict[str, np.ndarray], y: np.ndarray, make: Any, no_change: float) -> str:
    """The same of our ensemble."""
    numeric = all(column.dtype.kind == "f" for column in X.values())
    rows = np.column_stack(list(X.values())) if numeric else pa.table(X)
    model = make(n_models=10, seed=1)
    start = time.process_time()
    told = model.predict_learn_many(rows, y)
    spent = time.process_time() - start
    right = float(np.mean([a == b for a, b in zip(told, y.tolist(), strict=True)]))
    return cell(right, no_change, 1e6 * spent / len(y))


def moas(arff: Path, learner: str, n: int, no_change: float, most: float) -> str:
    """The same of MOA's, or nothing if it took too long."""
    jar = next((environments.FOLDER / "moa").glob("lib/*/site-packages/capymoa/jar/moa.jar"))
    try:
        found = moa.evaluate(str(jar), arff, learner, most)
    except subprocess.TimeoutExpired:
        return "– | –"
    return cell(found["accuracy"] / 100, no_change, 1e6 * found["seconds"] / n)


def main() -> None:
    parser = argparse.ArgumentParser(description="Prequential accuracy of the ensembles.")
    parser.add_argument("folder", type=Path, help="holds the data sets and load.py")
    parser.add_argument("--rivals", default="", help="moa, or nothing")
    parser.add_argument("--only", default="", help="streams whose name has this text")
    parser.add_argument("--rows", type=int, default=100_000, help="most rows of a stream")
    parser.add_argument("--most", type=float, default=600.0, help="seconds for a rival's run")
    options = parser.parse_args()
    rival = options.rivals == "moa"
    if rival:
        environments.python("moa")
        if reason := environments.lacking("moa"):
            sys.exit(reason)
    heads = "".join(f"{name} | µs | " + ("MOA | µs | " if rival else "") for name in ENSEMBLES)
    print("| stream | no change | majority | " + heads.rstrip())
    print("|---|" + "---|" * (2 + len(ENSEMBLES) * (4 if rival else 2)))
    for source in (files(options.folder), generated()):
        for name, X, y in source:
            if options.only.lower() not in name.lower():
                continue
            columns = {key: column[: options.rows] for key, column in columns_of(X).items()}
            y = y[: options.rows]
            no_change, majority = guesses(y)
            cells = [f"{100 * no_change:.2f}", f"{100 * majority:.2f}"]
            with tempfile.TemporaryDirectory() as folder:
                arff = Path(folder) / "rows.arff"
                if rival:
                    moa.write_arff(arff, list(columns.values()), y)
                for make, learner in ENSEMBLES.values():
                    cells.append(ours(columns, y, make, no_change))
                    if rival:
                        cells.append(moas(arff, learner, len(y), no_change, options.most))
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
