"""Linear learners on raw columns, without and with scale="auto": the tables of docs/linear.md.

    python -m benchmarks.experiments.raw_columns [--data DIR]

Every set in the order of its file, those sorted by label shuffled, at most 30,000 rows; scale=None,
and the default of today, for PAClassifier scale="auto" with another C. Text columns are
categories, missing values are left out. Prints the tables and puts them into the page.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from onstream.linear import LinearRegression, LogisticRegression, PAClassifier, PARegressor

from .folder import DATA, asked_for, loader
from .page import ROOT, table, write_part

MOST = 30_000
SCALED: Any = {PAClassifier: {"scale": "auto", "C": 0.05}}
SORTED = ("magic", "spambase", "svmguide1", "svmguide3", "satimage", "w8a")
SPARSE = ("a9a", "w8a", "mushrooms", "news20")
LABELS = [
    "australian",
    "banana",
    "german",
    "givemecredit",
    "magic",
    "phoneme",
    "poker_hand_train",
    "spambase",
    "svmguide1",
    "svmguide3",
    "electricity",
    "covtype",
    "gas_drift",
    "luxembourg",
    "noaa_weather",
    "outdoor",
    "usenet2",
    "letter",
    "pendigits",
    "satimage",
    "vehicle",
    "kddcup99_10pct",
    "flights2001",
    "a9a",
    "mushrooms",
    "news20",
    "w8a",
]
NUMBERS = [
    "abalone",
    "ailerons",
    "bike_sharing",
    "california",
    "cpusmall",
    "elevators",
    "toulouse_bikes",
]


def read(load: Any, name: str) -> tuple[Any, Any]:
    """Rows as a frame or a sparse matrix, and targets."""
    X, y = load(name, rows="csr") if name in SPARSE else load(name)
    if name in SORTED:
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X.iloc[order] if hasattr(X, "iloc") else X[order], y[order]
    if hasattr(X, "iloc"):
        X = X.reset_index(drop=True)
        X = X[[c for c in X if X[c].dtype.kind != "M"]]  # times are no numbers
    return X[:MOST], y[:MOST]


def accuracy(model: Any, X: Any, y: Any) -> str:
    return f"{100 * (model.predict_learn_many(X, y) == y).mean():.1f}"


def majority(y: Any) -> str:
    """Accuracy of the label that came most often so far."""
    counts: dict[Any, int] = {}
    hits = 0
    for label in y.tolist():
        hits += bool(counts) and max(counts, key=counts.__getitem__) == label
        counts[label] = counts.get(label, 0) + 1
    return f"{100 * hits / len(y):.1f}"


def labels(load: Any) -> str:
    lines = []
    for name in LABELS:
        X, y = read(load, name)
        cells = [name, majority(y)]
        for cls in (LogisticRegression, PAClassifier):
            cells += [
                accuracy(cls(**more), X, y) for more in ({"scale": None}, SCALED.get(cls, {}))
            ]
        lines.append(cells)
        print(*cells, flush=True)
    head = ["set", "majority", "LogisticRegression", "auto", "PAClassifier", "auto, C=0.05"]
    return table(head, lines)


def determination(model: Any, X: Any, y: np.ndarray) -> str:
    """R², prequential; the error that is refused, if one is."""
    try:
        answers = model.predict_learn_many(X, y)
    except ValueError:
        return "refused"
    means = np.concatenate([[0.0], np.cumsum(y)[:-1] / np.arange(1, len(y))])
    found = 1.0 - ((y - answers)[1:] ** 2).sum() / ((y - means)[1:] ** 2).sum()
    return f"{found:.3f}" if found > -100 else f"{found:.0e}"


def numbers(load: Any) -> str:
    lines = []
    for name in NUMBERS:
        X, y = read(load, name)
        y = y.astype(float)
        cells = [name]
        for cls in (LinearRegression, PARegressor):
            cells += [
                determination(cls(**more), X, y) for more in ({"scale": None}, SCALED.get(cls, {}))
            ]
        lines.append(cells)
        print(*cells, flush=True)
    return table(["set", "LinearRegression", "auto", "PARegressor", "auto"], lines)


def main() -> None:
    load = loader(asked_for(__doc__) or DATA)
    warnings.simplefilter("ignore")
    page = Path(ROOT) / "docs" / "linear.md"
    for name, make in (("raw labels", labels), ("raw numbers", numbers)):
        write_part(name, make(load), page)


if __name__ == "__main__":
    main()
