"""Boosting beside a forest and beside MOA, test then train: the table of docs/ensembles.md.

    python -m benchmarks.experiments.boosting [--data FOLDER] [--moa] [--only TEXT]

FOLDER holds the data sets and their `load.py`. MOA reads the same rows in the same order from a
file; its seconds are CPU seconds in a JVM of its own. Ours are CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    ADWINBoosting,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)
from onstream.streams import Agrawal, Friedman

from .. import environments, moa
from .folder import DATA, data_folder, loader
from .tree_accuracy import columns_of

OURS = {
    "SGBT": StreamingGradientBoostingClassifier,
    "ARF": AdaptiveRandomForestClassifier,
    "ADWINBoosting": ADWINBoosting,
}
MOA = {
    "SGBT": "meta.StreamingGradientBoostedTrees",
    "ARF": "(meta.AdaptiveRandomForest -s 10)",
    "ADWINBoosting": "meta.OzaBoostAdwin",
}
FILES = {
    "electricity": 20_000,
    "phoneme": None,
    "noaa_weather": None,
    "pendigits": None,
    "gas_drift": None,
}
FUNCTIONS = (1, 5, 3, 8)  # of Agrawal, one after the other
MOST = 900.0  # seconds of a run of MOA
Columns = dict[str, np.ndarray]


def agrawal(n: int) -> tuple[Columns, np.ndarray]:
    """So many rows, with three abrupt drifts."""
    parts = [Agrawal(f, seed=i + 1).block(n // 4) for i, f in enumerate(FUNCTIONS)]
    X = pa.concat_tables([table for table, _ in parts])
    return columns_of(X), np.concatenate([y for _, y in parts])


def classifications(folder: Path) -> Iterator[tuple[str, Columns, np.ndarray]]:
    """Every stream of labels."""
    yield "Agrawal, drifts at 5,000, 10,000, 15,000", *agrawal(20_000)
    yield "Agrawal, drifts at 25,000, 50,000, 75,000", *agrawal(100_000)
    if data_folder(folder) is not None:
        load = loader(folder)
        for name, rows in FILES.items():
            X, y = load(name)
            yield name, columns_of(X.iloc[:rows]), np.asarray(y[:rows])


def rows_of(columns: Columns) -> Any:
    """A matrix, or a table if there is text."""
    numeric = all(column.dtype.kind in "fiub" for column in columns.values())
    return np.column_stack(list(columns.values())) if numeric else pa.table(columns)


def figures(right: float, told: np.ndarray, y: np.ndarray) -> str:
    """Accuracy, kappa and kappa_T in per cent."""
    chance = sum(float((told == label).mean() * (y == label).mean()) for label in np.unique(y))
    same = float((y[1:] == y[:-1]).mean())
    kappa, temporal = (right - chance) / (1 - chance), (right - same) / (1 - same)
    return f"{100 * right:.2f} | {100 * kappa:.1f} | {100 * temporal:.1f}"


def majority(y: np.ndarray) -> np.ndarray:
    """The label that came most often so far."""
    labels, codes = np.unique(y, return_inverse=True)
    counts = np.zeros((len(y) + 1, len(labels)))
    counts[1:] = np.cumsum(np.eye(len(labels))[codes], axis=0)
    return labels[counts[:-1].argmax(axis=1)]


def ours(make: Callable[[], Any], X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Answers before learning, and CPU seconds."""
    model = make()
    start = time.process_time()
    told = model.predict_learn_many(X, y)
    spent = time.process_time() - start
    return np.array([a if a is not None else y[0] for a in told]), spent


def moas_jar() -> str:
    environments.python("moa")
    return str(next((environments.FOLDER / "moa").glob("lib/*/site-packages/capymoa/jar/moa.jar")))


def labels(name: str, columns: Columns, y: np.ndarray, jar: str | None) -> None:
    """The rows of a stream of labels."""
    X = rows_of(columns)
    for who, told in (("no change", np.append(y[:1], y[:-1])), ("majority", majority(y))):
        print(f"| {name} | {who} | {figures(float((told == y).mean()), told, y)} | |", flush=True)
    for who, make in OURS.items():
        told, spent = ours(make, X, y)
        print(f"| {name} | {who} | {figures(float((told == y).mean()), told, y)} | {spent:.2f} |")
        if jar is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            arff = Path(folder) / "rows.arff"
            moa.write_arff(arff, list(columns.values()), y)
            try:
                found = moa.evaluate(jar, arff, MOA[who], MOST)
            except subprocess.TimeoutExpired:
                continue
        print(f"| {name} | MOA's {who} | {found['accuracy']:.2f} | | | {found['seconds']:.2f} |")


def numbers(jar: str | None) -> None:
    """Root of the mean squared error on the first 1,000 rows of Friedman."""
    X, y = Friedman(seed=1).block(1000)
    told, spent = ours(StreamingGradientBoostingRegressor, X, y)
    rmse = float(np.sqrt(np.mean((told - y) ** 2)))
    before = np.append(0.0, np.cumsum(y)[:-1] / np.arange(1, len(y)))
    for who, answers in (("no change", np.append(0.0, y[:-1])), ("mean so far", before)):
        print(f"| Friedman | {who} | {np.sqrt(np.mean((answers - y) ** 2)):.3f} | |")
    print(f"| Friedman | SGBR | {rmse:.3f} | {spent:.2f} |", flush=True)
    if jar is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        arff = Path(folder) / "rows.arff"
        names = [f"a{i}" for i in range(X.shape[1])] + ["y"]
        head = "".join(f"@attribute {name} numeric\n" for name in names)
        body = "".join(",".join(map(repr, row)) + "\n" for row in np.column_stack([X, y]).tolist())
        arff.write_text(f"@relation r\n{head}@data\n{body}", encoding="utf-8")
        task = (
            "EvaluatePrequentialRegression -l meta.StreamingGradientBoostedRegression "
            f"-s (ArffFileStream -f {arff} -c -1) -e BasicRegressionPerformanceEvaluator "
            "-f 100000000 -q 100000000"
        )
        done = subprocess.run(
            ["java", "-cp", jar, "moa.DoTask", task], capture_output=True, text=True, check=True
        )
    lines = [line.split(",") for line in done.stdout.splitlines() if line.count(",") > 3]
    last = dict(zip(lines[0], lines[-1], strict=True))
    rmse = float(last["root mean squared error"])
    seconds = float(last["evaluation time (cpu seconds)"])
    print(f"| Friedman | MOA's SGBR | {rmse:.3f} | {seconds:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Boosting beside a forest and beside MOA.")
    parser.add_argument("--data", type=Path, default=DATA, help="holds the data sets and load.py")
    parser.add_argument("--moa", action="store_true", help="run MOA, too")
    parser.add_argument("--only", default="", help="streams whose name has this text")
    options = parser.parse_args()
    jar = moas_jar() if options.moa else None
    print("| stream | learner | accuracy | κ | κ_T | CPU s |\n|---|---|---|---|---|---|")
    for name, columns, y in classifications(options.data):
        if options.only.lower() in name.lower():
            labels(name, columns, y, jar)
    if options.only.lower() in "friedman":
        print("\n| stream | learner | RMSE | CPU s |\n|---|---|---|---|")
        numbers(jar)


if __name__ == "__main__":
    main()
