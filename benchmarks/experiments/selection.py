"""Online model selection beside its members, other searches and River: tables of docs/selection.md.

    python -m benchmarks.experiments.selection DATA_FOLDER [--only TEXT] [--rows N] [--river]
                                               [--ensembles] [--write docs/selection.md]

DATA_FOLDER holds the data sets and their `load.py`. Every run is one pass in the order of the file,
each row predicted before it is learned. `--river` adds River's SuccessiveHalvingClassifier over
its own learners, on at most `RIVERS_ROWS` rows. `--ensembles` makes the table of our own ensembles
instead, covtype last, since it takes longest.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    StreamingGradientBoostingClassifier,
    StreamingRandomPatchesClassifier,
)
from onstream.select import EvolvingClassifier
from onstream.select.default_space import classifiers
from onstream.select.space import learner_of, usual_genes
from onstream.streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF

from .. import environments
from .folder import loader
from .page import table, write_part

FILES = {
    "electricity": None,
    "covtype": None,
    "outdoor": None,
    "gas_drift": None,
    "noaa_weather": None,
    "pendigits": None,
    "letter": None,
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
OTHERS: dict[str, dict[str, Any]] = {
    "default": {},
    "nobody replaced": {"interval": None},
    "random search": {"search": "random"},
    "halving": {"search": "halving"},
    "bandit": {"search": "bandit"},
    "once": {"search": "once"},
    "again": {"search": "again"},
    "vote weighted": {"vote": "weighted"},
    "vote majority": {"vote": "majority"},
    "vote best": {"vote": "best"},
    "Poisson(6), majority": {"lam": 6.0, "vote": "majority"},
    "Poisson(1)": {"lam": 1.0},
    "budget 3x": {"budget": "3x"},
}
OTHER_SETS = {
    "electricity": None,
    "covtype": 100_000,
    "outdoor": None,
    "gas_drift": None,
    "noaa_weather": None,
}
ENSEMBLES = {
    "ARF": AdaptiveRandomForestClassifier(),
    "SRP": StreamingRandomPatchesClassifier(),
    "SGBT": StreamingGradientBoostingClassifier(),  # of many labels it takes gigabytes
}
SEEDS = 3
RIVERS_ROWS = 50_000
RIVERS_LOOP = """
import pickle, sys, time
from river import linear_model, model_selection, naive_bayes, neighbors, preprocessing, tree, forest
from river import metrics, multiclass
with open(sys.argv[1], "rb") as file: rows, y, labels = pickle.load(file)
def scaled(model):
    model = multiclass.OneVsRestClassifier(model) if labels > 2 else model
    return preprocessing.StandardScaler() | model
models = [
    scaled(linear_model.LogisticRegression()),
    scaled(linear_model.PAClassifier(C=1.0, mode=1)),
    scaled(linear_model.PAClassifier(C=0.1, mode=1)), scaled(linear_model.ALMAClassifier()),
    preprocessing.MinMaxScaler() | neighbors.KNNClassifier(n_neighbors=1),
    preprocessing.MinMaxScaler() | neighbors.KNNClassifier(n_neighbors=5), naive_bayes.GaussianNB(),
    tree.HoeffdingTreeClassifier(), tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    forest.ARFClassifier(seed=1)]
model = model_selection.SuccessiveHalvingClassifier(
    models, metric=metrics.Accuracy(),
    budget=len(models) * len(y) // 5, eta=2, verbose=False)
hits, start = 0, time.process_time()
for x, label in zip(rows, y):
    try:
        hits += model.predict_one(x) == label
        model.learn_one(x, label)
    except (OverflowError, ZeroDivisionError):
        pass
print(100 * hits / len(y), time.process_time() - start)
"""


def read(folder: Path, name: str, most: int | None) -> tuple[Any, np.ndarray]:
    """Rows and targets: a matrix, or a table if there is text."""
    if name in STREAMS:
        X, y = next(iter(STREAMS[name]().batches(most or 100_000)))
        return X, np.asarray(y)
    X, y = loader(folder)(name)
    most = min(most or len(y), FILES[name] or len(y))
    X, y = X.iloc[:most], np.asarray(y[:most])
    if all(X[column].dtype.kind in "fiub" for column in X):
        return X.to_numpy(dtype=float), y
    return pa.Table.from_pandas(X, preserve_index=False), y


def judged(model: Any, X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Which rows were right, each predicted before it was learned, and seconds of the process."""
    start = time.process_time()
    told = model.predict_learn_many(X, y)
    spent = time.process_time() - start
    right = [a == b for a, b in zip(told.tolist(), y.tolist(), strict=True)]
    return np.array(right, dtype=float), spent


def baselines(y: np.ndarray) -> tuple[float, float, float]:
    """Accuracy of the label before, of the commonest so far, and of chance (for kappa)."""
    counts: dict[Any, int] = {}
    best, hits, before, same = None, 0, None, 0
    for label in y.tolist():
        hits += label == best
        same += label == before
        counts[label] = counts.get(label, 0) + 1
        if best is None or counts[label] > counts[best]:
            best = label
        before = label
    return same / len(y), hits / len(y), 0.0


def kappa(told: np.ndarray, y: np.ndarray) -> float:
    """Cohen's kappa."""
    labels, codes = np.unique(
        np.concatenate([y.astype(str), told.astype(str)]), return_inverse=True
    )
    a, b = codes[: len(y)], codes[len(y) :]
    chance = (
        float((np.bincount(a, minlength=len(labels)) * np.bincount(b, minlength=len(labels))).sum())
        / len(y) ** 2
    )
    return float(((a == b).mean() - chance) / (1.0 - chance))


def first_row(name: str, X: Any, y: np.ndarray) -> list[Any]:
    """One line of the first table."""
    space = classifiers()
    alone = {}
    for i in range(10):
        learner = learner_of(space, usual_genes(space, i)).clone()
        right, spent = judged(learner, X, y)
        alone[repr(learner).replace("Pipeline(StandardScaler(), ", "scaled (")] = (
            right.mean(),
            spent,
        )
    best = max(alone, key=lambda n: alone[n][0])
    model = EvolvingClassifier()
    start = time.process_time()
    told = model.predict_learn_many(X, y)
    spent = time.process_time() - start
    right = np.array([a == b for a, b in zip(told.tolist(), y.tolist(), strict=True)], dtype=float)
    same, common, _ = baselines(y)
    accuracy = float(right.mean())
    told = np.array(["" if a is None else a for a in told.tolist()], dtype=object)
    return [
        name,
        f"{len(y):,}",
        f"{100 * same:.2f}",
        f"{100 * common:.2f}",
        f"{100 * alone[best][0]:.2f} {best}",
        f"**{100 * accuracy:.2f}**",
        f"{kappa(told, y):.3f}",
        f"{(accuracy - same) / (1.0 - same):.3f}" if same < 1.0 else "",
        f"{1e6 * spent / len(y):.1f}",
        f"{spent / max(alone[best][1], 1e-9):.0f}x",
        f"{spent / sum(s for _, s in alone.values()):.1f}x",
    ]


def others(folder: Path, rows: int | None) -> str:
    """The second table: other searches and votes, the mean over seeds."""
    data = {name: read(folder, name, rows or most) for name, most in OTHER_SETS.items()}
    lines = []
    for what, options in OTHERS.items():
        cells = []
        for X, y in data.values():
            found = [
                judged(EvolvingClassifier(seed=seed, **options), X, y) for seed in range(SEEDS)
            ]
            cells.append(f"{100 * np.mean([right.mean() for right, _ in found]):.2f}")
            cells.append(f"{1e6 * np.mean([spent for _, spent in found]) / len(y):.1f}")
        lines.append([what, *cells])
        print(lines[-1], flush=True)
    head = [h for name in data for h in (name, "µs")]
    return table(["", *head], lines)


def ensembles(folder: Path, only: str, rows: int | None) -> str:
    """The third table: our own ensembles at their defaults."""
    names = sorted([*FILES, *STREAMS], key=lambda name: name == "covtype")
    lines = []
    for name in names:
        if only in name:
            X, y = read(folder, name, rows)
            line = [name]
            for kind, model in ENSEMBLES.items():
                if kind == "SGBT" and len(set(y.tolist())) > 2:
                    line += ["–", ""]
                    continue
                right, spent = judged(model.clone(), X, y)
                line += [f"{100 * right.mean():.2f}", f"{1e6 * spent / len(y):.1f}"]
            lines.append(line)
            print(*lines[-1], sep=" | ", flush=True)
    return table(["set", *(head for name in ENSEMBLES for head in (name, "µs"))], lines)


def rivers(X: Any, y: np.ndarray) -> str:
    """Accuracy and microseconds of River's successive halving over ten learners of its own."""
    X, y = X[:RIVERS_ROWS], y[:RIVERS_ROWS]
    rows = [dict(enumerate(row)) for row in X.tolist()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.pickle"
        file.write_bytes(pickle.dumps((rows, y.tolist(), len(set(y.tolist())))))
        done = subprocess.run(
            [environments.python("river"), "-c", RIVERS_LOOP, str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
    accuracy, spent = map(float, done.stdout.split()[-2:])
    return f"{accuracy:.2f} ({1e6 * spent / len(y):.0f} µs)"


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="sets whose names contain this; 'searches'")
    parser.add_argument("--rows", type=int, help="at most so many rows")
    parser.add_argument("--river", action="store_true")
    parser.add_argument("--ensembles", action="store_true")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    if asked.ensembles:
        third = ensembles(asked.folder, asked.only, asked.rows)
        print(third)
        if asked.write:
            write_part("ensembles", third, asked.write)
        return
    lines = []
    for name in [*FILES, *STREAMS]:
        if asked.only in name:
            X, y = read(asked.folder, name, asked.rows)
            lines.append(first_row(name, X, y))
            print(*lines[-1], *([rivers(X, y)] if asked.river else []), sep=" | ", flush=True)
    head = ["set", "rows", "no change", "majority", "best member alone", "EvolvingClassifier"]
    first = table([*head, "κ", "κ_T", "µs", "time, of the best", "of the ten"], lines)
    print(first)
    if asked.write and lines:
        write_part("selection", first, asked.write)
    if asked.only in "searches":
        second = others(asked.folder, asked.rows)
        print(second)
        if asked.write:
            write_part("searches", second, asked.write)


if __name__ == "__main__":
    main()
