"""Accuracy of sharded training against the number of shards and the rows between two mixes.

python -m benchmarks.experiments.sharding [--data FOLDER] [--rows 100000] [--only DATA]

Simulated by the local engine, whose result is that of any engine. Rows of covtype and flights2001
are shuffled first (seed 0), the last fifth is held out; a9a and ijcnn1 have a test set. Writes
benchmarks/results/sharding.json, and docs/images/sharding.png; prints a table.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from onstream import LogisticRegression
from onstream.cluster import train
from onstream.features import StandardScaler
from onstream.linear import AROW, SGDClassifier

from .folder import DATA, loader
from .page import ROOT

NAMES = ("a9a", "ijcnn1", "covtype", "flights2001")
SHARDS = (2, 8, 32, 128)
INTERVALS = (100, 1000, None)
LEARNERS: dict[str, Any] = {
    "LogisticRegression": lambda: LogisticRegression(scale="auto"),
    "LogisticRegression, 3 passes": lambda: LogisticRegression(scale="auto"),
    "AdaGrad, by energy": lambda: SGDClassifier(schedule="adagrad", scale="auto"),
    "AROW": AROW,
    "scaler and AROW": lambda: StandardScaler() | AROW(),
}


def table_of(name: str, load: Any, rows: int) -> tuple[Any, ...]:
    """X, y, X_test, y_test."""
    if name in ("a9a", "ijcnn1"):
        X, y = load(name, split="train", rows="csr")
        order = np.random.default_rng(0).permutation(len(y))
        return (X[order], np.asarray(y)[order], *load(name, split="test", rows="csr"))
    X, y = load(name)
    order = np.random.default_rng(0).permutation(len(y))[: rows + rows // 4]
    X, y = X.iloc[order], np.asarray(y)[order]
    return X[:rows], y[:rows], X[rows:], y[rows:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--only", choices=NAMES, action="append")
    parser.add_argument("--learner", choices=LEARNERS, action="append")
    given = parser.parse_args()
    file = ROOT / "benchmarks" / "results" / "sharding.json"
    results: list[dict[str, Any]] = []
    if file.exists():
        results = json.loads(file.read_text(encoding="utf-8"))
    for name in given.only or NAMES:
        X, y, X_test, y_test = table_of(name, loader(given.data), given.rows)
        y_test = np.asarray(y_test)
        for title in given.learner or LEARNERS:
            make = LEARNERS[title]
            if "AROW" in title and (title == "AROW") != (name in ("a9a", "ijcnn1")):
                continue  # columns of different sizes need the scaler, sparse ones must not have it
            epochs = 3 if "passes" in title else 1
            one = make()
            one.learn_many(X, y)  # one pass, in order
            alone = float(np.mean(one.predict_many(X_test) == y_test))
            print(f"{name}, {title}: one machine {100 * alone:.2f} %", flush=True)
            results = [r for r in results if (r["data"], r["learner"]) != (name, title)]
            weighting = "energy" if "energy" in title else "rows"
            for shards in SHARDS:
                for every in INTERVALS:
                    if every is not None and every >= len(y) / shards and every > INTERVALS[0]:
                        continue  # the same as mixing once
                    began = time.perf_counter()
                    options = {"weighting": weighting, "epochs": epochs}
                    model = train(make(), (X, y), "local", shards, every, **options)
                    right = float(np.mean(model.predict_many(X_test) == y_test))
                    seconds = time.perf_counter() - began
                    row = {
                        "data": name,
                        "rows": len(y),
                        "learner": title,
                        "one": alone,
                        "shards": shards,
                    }
                    results.append({**row, "every": every, "accuracy": right})
                    lost = 100 * (right - alone)
                    print(
                        f"  {shards:4} shards, every {every}: {lost:+.2f} ({seconds:.0f} s)",
                        flush=True,
                    )
            file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    draw(results, ROOT / "docs" / "images" / "sharding.png")
    print(table(results))


def table(results: list[dict[str, Any]]) -> str:
    """Points of accuracy against one machine, as Markdown."""
    heads = [f"{s}, every {e or 'end'}" for s in SHARDS for e in (100, 1000, None)]
    lines = [f"| data, learner | one machine | {' | '.join(heads)} |"]
    lines.append("|---|---" + "|---:" * len(heads) + "|")
    for name, title in dict.fromkeys((r["data"], r["learner"]) for r in results):
        own = [r for r in results if (r["data"], r["learner"]) == (name, title)]
        cells = []
        for shards in SHARDS:
            by = {r["every"]: r["accuracy"] for r in own if r["shards"] == shards}
            cells += [
                f"{100 * (by.get(e, by[None]) - own[0]['one']):+.1f}" for e in (100, 1000, None)
            ]
        lines.append(f"| {name}, {title} | {100 * own[0]['one']:.1f} % | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(results: list[dict[str, Any]], path: Path) -> None:
    """Accuracy against the interval, a line for each number of shards."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    own = [r for r in results if r["learner"] == "LogisticRegression"]
    names = list(dict.fromkeys(r["data"] for r in own))
    figure, axes = plt.subplots(1, len(names), figsize=(3.2 * len(names), 3), layout="constrained")
    for axis, name in zip(axes, names, strict=True):
        for shards in SHARDS:
            line = [r for r in own if r["data"] == name and r["shards"] == shards]
            x = [r["every"] or 3000 for r in line]
            axis.plot(x, [100 * r["accuracy"] for r in line], marker=".", label=f"{shards} shards")
        axis.axhline(100 * next(r["one"] for r in own if r["data"] == name), color="0.5", ls="--")
        axis.set(title=name, xscale="log", xlabel="rows between mixes (right: end)")
    axes[0].set_ylabel("test accuracy, %")
    axes[0].legend(fontsize=7)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
