"""Learners at their defaults on raw columns, beside VW, River and scikit-learn: docs/defaults.md.

    python -m benchmarks.experiments.defaults [--data DIR]

The first 5,000 rows of every set in the order of its file, those sorted by label shuffled; predict,
then learn, row after row. Text columns are categories ("name=value": 1), missing values are left
out. scikit-learn, which needs a fixed width, is told all features and labels beforehand.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import environments
from onstream.bayes import GaussianNB
from onstream.linear import (
    AROW,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    SGDClassifier,
    SGDRegressor,
)
from onstream.neighbors import KNNClassifier, KNNRegressor
from onstream.streams.generators import Friedman
from onstream.tree import HoeffdingTreeClassifier, HoeffdingTreeRegressor

from .folder import DATA, asked_for, loader
from .page import ROOT, table, write_part
from .raw_columns import LABELS, NUMBERS, SPARSE, read

MOST = 5_000
PAGE = Path(ROOT) / "docs" / "defaults.md"
PEERS = ("vw", "river", "scikit-learn")
PEER = Path(__file__).with_name("defaults_peer.py")
OF_LABELS: dict[str, Any] = {
    "LogisticRegression": LogisticRegression,
    "SGDClassifier": SGDClassifier,
    "PAClassifier": PAClassifier,
    "LogisticRegression, scale=None": lambda: LogisticRegression(scale=None),
    "SGDClassifier, scale=None": lambda: SGDClassifier(scale=None),
    "PAClassifier, auto, C=0.05": lambda: PAClassifier(scale="auto", C=0.05),
    "AROW": AROW,
    "GaussianNB": GaussianNB,
    "KNNClassifier": KNNClassifier,
    "HoeffdingTreeClassifier": HoeffdingTreeClassifier,
}
OF_NUMBERS: dict[str, Any] = {
    "LinearRegression": LinearRegression,
    "SGDRegressor": SGDRegressor,
    "PARegressor": PARegressor,
    "LinearRegression, scale=None": lambda: LinearRegression(scale=None),
    "PARegressor, scale=None": lambda: PARegressor(scale=None),
    "KNNRegressor": KNNRegressor,
    "HoeffdingTreeRegressor": HoeffdingTreeRegressor,
}


def rentals(column: str) -> tuple[Any, Any]:
    """The hours of bike_sharing with another target, a part of the usual one."""
    table = pd.read_parquet(Path(ROOT) / DATA / "bike_sharing.parquet")
    X = table[[c for c in table if c != "y" and c[0] != "_"]]
    return X[[c for c in X if X[c].dtype.kind != "M"]], table[column].to_numpy()


def friedman() -> tuple[Any, Any]:
    """A generator, so that there are ten; its columns are of one size."""
    X, y = Friedman(seed=1).block(MOST)
    return pd.DataFrame(X), y


MORE_NUMBERS: dict[str, Any] = {
    "bike_sharing, casual": lambda: rentals("_casual"),
    "bike_sharing, registered": lambda: rentals("_registered"),
    "Friedman (generator)": friedman,
}


def mappings(X: Any) -> list[dict[str, float]]:
    """The rows of a frame as every peer gets them."""
    columns = {}
    for name in X:
        values = X[name]
        there = values.notna().to_numpy()
        texts = values.dtype.kind not in "biuf"
        cells = [
            (f"{name}={v}", 1.0) if texts else (str(name), float(v)) if ok else None
            for v, ok in zip(values.tolist(), there, strict=True)
        ]
        columns[name] = [cell if ok else None for cell, ok in zip(cells, there, strict=True)]
    return [
        dict(cell for cell in row if cell is not None)
        for row in zip(*columns.values(), strict=True)
    ]


def ours(learners: dict[str, Any], rows: list[dict[str, float]], y: Any) -> dict[str, Any]:
    """Answers of our learners; None: it refused a row."""
    found: dict[str, Any] = {}
    for name, make in learners.items():
        try:
            found[name] = make().predict_learn_many(rows, y)
        except ValueError:
            found[name] = None
    return found


def theirs(kind: str, rows: list[dict[str, float]], y: Any, labels: int) -> dict[str, Any]:
    """Answers of the peers, each in a process of its own."""
    features = sorted({name for row in rows for name in row})
    lines = [[features, labels], *zip(rows, y.tolist(), strict=True)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    found = {}
    for peer in PEERS:
        command = [environments.python(peer), str(PEER), peer, kind]
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True,
            env=environments.variables(),
        )  # fmt: skip
        found.update(json.loads(line) for line in done.stdout.splitlines())
    return found


def accuracy(answers: Any, y: Any) -> float:
    if answers is None or not len(answers):
        return float("nan")
    return 100.0 * float(np.mean([a == b for a, b in zip(answers, y, strict=True)]))


def determination(answers: Any, y: Any) -> float:
    """R², prequential, against the mean of the targets before."""
    if answers is None or not len(answers):
        return float("nan")
    said = np.array([np.nan if a is None else a for a in answers], dtype=float)[1:]
    means = (np.cumsum(y) / np.arange(1, len(y) + 1))[:-1]
    if not np.isfinite(said).all():
        return float("nan")
    with np.errstate(over="ignore"):
        return float(1.0 - ((y[1:] - said) ** 2).sum() / ((y[1:] - means) ** 2).sum())


def shown(value: float, digits: int) -> str:
    if np.isnan(value):
        return "refused"
    return f"{value:.{digits}f}" if abs(value) < 100.5 else f"{value:.0e}"


def one_set(load: Any, name: str, kind: str) -> dict[str, float]:
    X, y = MORE_NUMBERS[name]() if name in MORE_NUMBERS else read(load, name)
    rows, y = mappings(X[:MOST]), y[:MOST]
    if kind == "numbers":
        y = y.astype(float)
        found = {**ours(OF_NUMBERS, rows, y), **theirs(kind, rows, y, 0)}
        return {who: determination(answers, y) for who, answers in found.items()}
    names, y = np.unique(y, return_inverse=True)
    best = np.bincount(y).argmax()
    found = {"majority": np.full(len(y), best), **ours(OF_LABELS, rows, y)}
    found |= theirs(kind, rows, y, len(names))
    if len(names) > 2:  # the same learner by another name
        found["River LogisticRegression"] = found.pop("River SoftmaxRegression")
    return {who: accuracy(answers, y) for who, answers in found.items()}


def summary(figures: dict[str, dict[str, float]], kind: str) -> str:
    """How often each is below the constant guess, and ahead of VW."""
    lines = []
    for who in next(iter(figures.values())):
        if who == "majority":
            continue
        bars = [(f[who], f.get("majority", 0.0), f["VW"]) for f in figures.values()]
        below = sum(not value >= bar for value, bar, _ in bars)
        ahead = sum(value > other or np.isnan(other) for value, _, other in bars)
        lines.append([who, below, "" if who == "VW" else ahead])
    bar = "majority label" if kind == "labels" else "mean"
    return table(["learner", f"below the {bar}", "ahead of VW"], lines)


def write(load: Any, kind: str, names: list[str]) -> None:
    figures = {}
    for name in names:
        figures[name] = one_set(load, name, kind)
        print(name, figures[name], flush=True)
    who = list(next(iter(figures.values())))
    digits = 1 if kind == "labels" else 3
    cells = [[name, *(shown(f[w], digits) for w in who)] for name, f in figures.items()]
    write_part(f"{kind} at defaults", table(["set", *who], cells), PAGE)
    write_part(f"summary of {kind}", summary(figures, kind), PAGE)


def main() -> None:
    load = loader(asked_for(__doc__) or DATA)
    warnings.simplefilter("ignore")
    write(load, "numbers", [*NUMBERS, *MORE_NUMBERS])
    write(load, "labels", [name for name in LABELS if name not in SPARSE])


if __name__ == "__main__":
    main()
