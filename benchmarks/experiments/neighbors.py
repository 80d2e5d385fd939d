"""Ties, texts, shrinking windows and the index of a long one: the tables of docs/neighbors.md.

    python -m benchmarks.experiments.neighbors DATA [docs/neighbors.md [TABLE]]

DATA is the folder of the Parquet files. Prints the tables; with a page, puts them between its
marks. TABLE is the mark of one of them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from onstream.neighbors import KNNADWINClassifier, KNNClassifier

from .page import table, write_part

SETS = ("electricity", "noaa_weather", "outdoor", "powersupply", "gas_drift", "luxembourg")


def real(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    import pyarrow.parquet as pq

    frame = pq.read_table(folder / f"{name}.parquet").to_pandas()
    y = frame.pop("y").astype(str).to_numpy()
    for column in frame.columns:
        if frame[column].dtype.kind not in "fiub":  # names as numbers, in the order of the names
            frame[column] = frame[column].astype("category").cat.codes
    return frame.to_numpy(float), y


def abrupt(every: int) -> tuple[np.ndarray, np.ndarray]:
    """A line in the plane that turns by 90 degrees every so often; 5 % of the labels are wrong."""
    rng = np.random.default_rng(every)
    X = rng.random((20_000, 5))
    angle = np.arange(len(X)) // every * (np.pi / 2)
    side = np.cos(angle) * (X[:, 0] - 0.5) + np.sin(angle) * (X[:, 1] - 0.5) > 0.0
    return X, np.where(side ^ (rng.random(len(X)) < 0.05), "a", "b")


def shrinking(folder: Path) -> str:
    streams = {name: real(folder, name) for name in SETS}
    streams |= {f"turning line, every {n:,}": abrupt(n) for n in (500, 2000, 5000)}
    lines = []
    for name, (X, y) in streams.items():
        told = [
            (model.predict_learn_many(X, y) == y).mean()
            for model in (KNNClassifier(), KNNADWINClassifier())
        ]
        gain = told[1] - told[0]
        cells = [name, f"{len(y):,}", f"{told[0]:.2%}", f"{told[1]:.2%}", f"{gain:+.2%}"]
        lines.append(cells)
    return table(["stream", "rows", "kNN", "kNN-ADWIN", "gain"], lines)


# -- ties and texts -----------------------------------------------------------------------------

MIXED = ("usenet2", "german", "australian", "flights2001", "kddcup99_10pct")
NUMERIC = ("electricity", "letter", "outdoor", "pendigits", "poker_hand_train")


def rules(folder: Path) -> str:
    """Prequential accuracy on the first 10,000 rows, and microseconds a row, by the rules."""
    import pyarrow.parquet as pq

    lines = []
    for name in (*MIXED, *NUMERIC):
        frame = pq.read_table(folder / f"{name}.parquet").to_pandas()[:10_000]
        y = frame.pop("y").astype(str).to_numpy()
        cells = [name, str(sum(frame[c].dtype.kind not in "fiub" for c in frame.columns))]
        for ties, texts in (("first", "one-hot"), ("first", "overlap"), ("all", "overlap")):
            model = KNNClassifier(ties=ties, nominal_distance=texts)
            start = time.process_time()
            told = model.predict_learn_many(frame, y)
            spent = 1e6 * (time.process_time() - start) / len(y)
            cells.append(f"{(told == y).mean():.1%}, {spent:.0f} µs")
        lines.append(cells)
    head = ["stream", "texts", "first, one-hot", "first, overlap", "all, overlap"]
    return table(head, lines)


# -- long windows -----------------------------------------------------------------------------


def rows_of(folder: Path, name: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    if name.startswith("uniform"):
        X = np.random.default_rng(0).random((n, int(name.split()[1])))
        return X, X[:, 0] > 0.5
    X, y = real(folder, name)
    return X[:n], y[:n]


def cost(X: np.ndarray, y: np.ndarray, window: int, index: bool) -> tuple[float, float, Any]:
    """Microseconds to predict and learn a row, and to learn one; what was predicted."""
    model = KNNClassifier(window=window)
    if not index:
        model._model.state.window.drop_index()
    model.learn_many(X[:window], y[:window])
    X, y = X[window:], y[window:]
    cut = len(y) // 5
    start = time.process_time()
    told = model.predict_learn_many(X[:cut], y[:cut])
    middle = time.process_time()
    model.learn_many(X[cut:], y[cut:])
    stop = time.process_time()
    return 1e6 * (middle - start) / cut, 1e6 * (stop - middle) / (len(y) - cut), told


def long_windows(folder: Path) -> str:
    head = ["stream", "window", "all examples", "index", "gain", "learning alone"]
    lines = []
    for name in ("electricity", "uniform 8", "covtype", "uniform 54"):
        for window in (10_000, 100_000):
            X, y = rows_of(folder, name, window + 7500)
            if len(y) <= window + 5000:
                continue
            plain, only, told = cost(X, y, window, False)
            quick, more, same = cost(X, y, window, True)
            assert (told == same).all()
            cells = [name, f"{window:,}", f"{plain:.0f}", f"{quick:.0f}", f"{plain / quick:.1f}×"]
            lines.append([*cells, f"{only:.1f} → {more:.1f}"])
    return table(head, lines)


def main() -> None:
    folder, pages, wanted = Path(sys.argv[1]), sys.argv[2:3], sys.argv[3:]
    tables = {"rules": rules, "long windows": long_windows, "shrinking": shrinking}
    for name, make in tables.items():
        if wanted and name not in wanted:
            continue
        text = make(folder)
        print(text, flush=True)
        for page in pages:
            write_part(name, text, Path(page))


if __name__ == "__main__":
    main()
