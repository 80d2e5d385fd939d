"""Prequential accuracy of the trees beside MOA's and River's: the table of docs/trees.md.

    python -m benchmarks.experiments.tree_accuracy DATA_FOLDER [--rivals moa,river] [--only TEXT]

DATA_FOLDER holds the data sets and their `load.py`. Rivals read the same rows in the same order,
from a file; a run that takes longer than `--most` seconds is left out.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF
from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree

from .. import environments, moa
from .folder import loader

TREES = {"VFDT": VFDT, "HAT": HAT, "EFDT": ExtremelyFastDecisionTree, "CVFDT": CVFDT}
MOA = {"VFDT": "HoeffdingTree", "HAT": "HoeffdingAdaptiveTree", "EFDT": "EFDT"}
RIVER = {
    "VFDT": "HoeffdingTreeClassifier()",
    "HAT": "HoeffdingAdaptiveTreeClassifier(seed=1)",
    "EFDT": "ExtremelyFastDecisionTreeClassifier()",
}
FILES = {
    "electricity": None,
    "noaa_weather": None,
    "pendigits": None,
    "letter": None,
    "gas_drift": None,
    "covtype": 200_000,
    "kddcup99_10pct": 200_000,
    "flights2001": 200_000,
}
STREAMS = {
    "SEA, drift": lambda: Drift(SEA(function=1, seed=1), SEA(function=3, seed=2), at=50_000),
    "Agrawal, drift": lambda: Drift(
        Agrawal(function=1, seed=1), Agrawal(function=3, seed=2), at=50_000
    ),
    "RandomRBF, moving": lambda: RandomRBF(speed=0.0001, seed=1),
    "Hyperplane, moving": lambda: Hyperplane(mag=0.001, seed=1),
}
RIVERS_LOOP = """
import pickle, sys, time
from river.tree import *
with open(sys.argv[2], "rb") as file: rows, y = pickle.load(file)
model, hits, start = eval(sys.argv[1]), 0, time.process_time()
for x, label in zip(rows, y):
    hits += model.predict_one(x) == label
    model.learn_one(x, label)
print(100 * hits / len(y), time.process_time() - start)
"""


def files(folder: Path) -> Any:
    """Yield (name, X, y) of every data set that is there."""
    load = loader(folder)
    for name, rows in FILES.items():
        X, y = load(name)
        yield name, X.iloc[:rows], np.asarray(y[:rows])


def generated(n: int = 100_000) -> Any:
    """Yield the same of the generated streams."""
    for name, make in STREAMS.items():
        X, y = next(iter(make().batches(n)))
        yield name, X, y


def columns_of(X: Any) -> dict[str, np.ndarray]:
    """Rows by column, numbers or text."""
    if isinstance(X, np.ndarray):
        return {str(i): column for i, column in enumerate(X.T)}
    if hasattr(X, "iloc"):
        return {
            str(name): X[name].to_numpy(float)
            if X[name].dtype.kind in "fiub"
            else X[name].astype(str).to_numpy()
            for name in X.columns
        }
    return {name: np.asarray(X[name].to_pylist()) for name in X.column_names}


def ours(X: dict[str, np.ndarray], y: np.ndarray, make: Any) -> str:
    """Accuracy in per cent, and microseconds per example."""
    numeric = all(column.dtype.kind == "f" for column in X.values())
    rows = np.column_stack(list(X.values())) if numeric else pa.table(X)
    model = make()
    start = time.process_time()
    told = model.predict_learn_many(rows, y)
    spent = time.process_time() - start
    right = np.mean([a == b for a, b in zip(told, y, strict=True)])
    return f"{100 * right:.2f} | {1e6 * spent / len(y):.2f}"


def moas(arff: Path, name: str, most: float) -> str:
    """MOA's accuracy, or nothing."""
    try:
        jar = next((environments.FOLDER / "moa").glob("lib/*/site-packages/capymoa/jar/moa.jar"))
        return f"{moa.evaluate(str(jar), arff, f'trees.{MOA[name]}', most)['accuracy']:.2f}"
    except subprocess.TimeoutExpired:
        return ""


def rivers(rows: Path, name: str, most: float) -> str:
    """River's accuracy, or nothing."""
    command = [environments.python("river"), "-c", RIVERS_LOOP, RIVER[name], str(rows)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=most)
    except subprocess.TimeoutExpired:
        return ""
    return f"{float(done.stdout.split()[0]):.2f}"


def row(
    X: dict[str, np.ndarray], y: np.ndarray, rivals: list[str], most: float, folder: Path
) -> list[str]:
    """Let every tree run over one stream."""
    if "moa" in rivals:
        moa.write_arff(folder / "rows.arff", list(X.values()), y)
    if "river" in rivals:
        values = zip(*(column.tolist() for column in X.values()), strict=True)
        rows = [dict(zip(X, x, strict=True)) for x in values]
        (folder / "rows.pickle").write_bytes(pickle.dumps((rows, y.tolist())))
    cells = []
    for name, make in TREES.items():
        cells.append(ours(X, y, make))
        if name in MOA and "moa" in rivals:
            cells.append(moas(folder / "rows.arff", name, most))
        if name in RIVER and "river" in rivals:
            cells.append(rivers(folder / "rows.pickle", name, most))
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description="Prequential accuracy of the trees.")
    parser.add_argument("folder", type=Path, help="holds the data sets and load.py")
    parser.add_argument("--rivals", default="", help="moa, river, or both with a comma")
    parser.add_argument("--only", default="", help="streams whose name has this text")
    parser.add_argument("--most", type=float, default=600.0, help="seconds for a rival's run")
    options = parser.parse_args()
    rivals = options.rivals.split(",") if options.rivals else []
    for peer in rivals:
        environments.python(peer)
        if reason := environments.lacking(peer):
            sys.exit(reason)
    names = {"moa": "MOA", "river": "River"}
    heads = [
        f"{name} | µs" + "".join(f" | {names[peer]}" for peer in rivals if name in MOA)
        for name in TREES
    ]
    print("| stream | " + " | ".join(heads) + " |")
    print("|---|" + "---|" * sum(head.count("|") + 1 for head in heads))
    for source in (files(options.folder), generated()):
        for name, X, y in source:
            if options.only.lower() in name.lower():
                with tempfile.TemporaryDirectory() as folder:
                    cells = row(columns_of(X), y, rivals, options.most, Path(folder))
                print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
