"""Prequential accuracy of the trees: the table of docs/trees.md.

    python -m benchmarks.experiments.tree_accuracy DATA_FOLDER

DATA_FOLDER holds the data sets and their `load.py`.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF
from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree

TREES = {"VFDT": VFDT, "HAT": HAT, "EFDT": ExtremelyFastDecisionTree, "CVFDT": CVFDT}
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


def files(folder: str) -> Any:
    """(name, X, y) of every data set that is there."""
    sys.path.insert(0, folder)
    from load import load  # type: ignore[import-not-found]

    for name, rows in FILES.items():
        X, y = load(name)
        table = pa.Table.from_pandas(X.iloc[:rows], preserve_index=False)
        numeric = all(pa.types.is_floating(t) or pa.types.is_integer(t) for t in table.schema.types)
        yield name, X.iloc[:rows].to_numpy(dtype=float) if numeric else table, np.asarray(y[:rows])


def generated(n: int = 100_000) -> Any:
    for name, make in STREAMS.items():
        X, y = next(iter(make().batches(n)))
        yield name, X, y


def main(folder: str) -> None:
    print("| stream | " + " | ".join(f"{name} | µs" for name in TREES) + " |")
    print("|---|" + "---|" * 2 * len(TREES))
    for source in (files(folder), generated()):
        for name, X, y in source:
            cells = []
            for make in TREES.values():
                model = make()
                start = time.process_time()
                told = model.predict_learn_many(X, y)
                spent = time.process_time() - start
                right = np.mean([a == b for a, b in zip(told, y, strict=True)])
                cells += [f"{100 * right:.2f}", f"{1e6 * spent / len(y):.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
