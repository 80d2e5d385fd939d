"""Experiment 3 of Behuet's lecture, for real: `onstream experiment multiclass` over more kernels.

    python -m benchmarks.experiments.digits [usps] [mnist] [--full] [--rows N] [--data DIR]

Writes its part of docs/experiments.md and docs/images/digits_*.png. Linear learners see all rows,
those with kernels all of USPS and the first 10,000 of MNIST (`--full`: all).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from onstream.cli.experiments.multiclass import LEARNERS, one_pass, updates_of
from onstream.kernel import RBF, Polynomial

from .folder import DATA, loader
from .page import ROOT, table, write_part, write_picture

KERNELS = {
    "usps": {
        "linear": None,
        "polynomial 2": Polynomial(degree=2),
        "polynomial 3": Polynomial(degree=3),
        "polynomial 5": Polynomial(degree=5),
        "RBF 1": RBF(gamma=1.0),
        "RBF 2": RBF(gamma=2.0),
        "RBF 4": RBF(gamma=4.0),
    },
    "mnist": {
        "linear": None,
        "polynomial 5": Polynomial(degree=5),
        "RBF 4": RBF(gamma=4.0),
    },
}


class Digits:
    """Unit-norm rows of a data set; MNIST sparse, since four of its five pixels are 0."""

    def __init__(self, load: Any, name: str) -> None:
        self.X, self.y = self.part(load(name, split="train"), name)
        self.T, self.t = self.part(load(name, split="test"), name)

    @staticmethod
    def part(data: Any, name: str) -> tuple[Any, np.ndarray]:
        X = np.asarray(data[0], dtype=float).reshape(len(data[0]), -1)
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
        y = np.asarray(data[1]).astype(int)
        if name == "mnist":
            from scipy.sparse import csr_matrix

            return csr_matrix(X), y
        return X, y


def spread(values: list[float]) -> str:
    text = f"{np.mean(values):.2f}"
    return text if len(values) == 1 else f"{text} ± {np.std(values):.2f}"


def picture(name: str, curves: dict[str, dict[str, np.ndarray]], path: Path) -> None:
    """Error so far, one panel per kernel, one line per learner."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    styles = ("-", "--", ":")
    figure, panels = plt.subplots(
        1, len(curves), figsize=(4.2 * len(curves), 4.6), sharey=True, squeeze=False
    )
    for panel, (kernel, lines) in zip(panels[0], curves.items(), strict=True):
        for i, (learner, wrong) in enumerate(lines.items()):
            seen = np.arange(1, len(wrong) + 1)
            at = np.unique(np.geomspace(50, len(wrong), 200).astype(int)) - 1
            error = 100 * np.cumsum(wrong)[at] / seen[at]
            family = 0 if learner.startswith("PA") else 1 if learner.startswith("perc") else 2
            panel.plot(seen[at], error, styles[family], color=f"C{i}", label=learner, lw=1.4)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(f"{name.upper()}, {kernel}")
        panel.set_xlabel("examples")
        panel.grid(alpha=0.3, which="both")
        ticks = [2, 3, 5, 10, 20, 30, 50]
        panel.set_yticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
    panels[0, 0].set_ylabel("online error so far, %")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=5)
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.set_dpi(90)
    write_picture(figure, path)
    plt.close(figure)


def one(name: str, load: Any, rows: int, repeats: int) -> None:
    """All learners on one data set: a table, a picture."""
    digits = Digits(load, name)
    cells: list[tuple[Any, ...]] = []
    curves: dict[str, dict[str, np.ndarray]] = {}
    best: dict[str, tuple[float, str]] = {}  # family of kernels: the one with PA's fewest mistakes
    for title, kernel in KERNELS[name].items():
        n = len(digits.y) if kernel is None or name == "usps" else min(rows, len(digits.y))
        orders = [np.arange(n)]
        if kernel is None:
            orders += [np.random.default_rng(i).permutation(n) for i in range(1, repeats)]
        lines = curves.setdefault(title, {})
        for learner, make in LEARNERS.items():
            test = digits.T, digits.t
            trains = [(digits.X[order], digits.y[order]) for order in orders]
            runs = [one_pass(make, kernel, train, test) for train in trains]
            updates = np.mean([updates_of(learner, r) for r in runs])
            micro = 1e6 * np.mean([r["seconds"] for r in runs])
            online, test = ([r[key] for r in runs] for key in ("online", "test"))
            lines[learner] = runs[0]["wrong"]
            figures = spread(online), spread(test), f"{updates:,.0f}"
            each = f"{micro / n:.0f}", f"{micro / max(updates, 1):.0f}"
            cells.append((title, learner, f"{n:,}", *figures, *each))
            print(name, *cells[-1], file=sys.stderr, flush=True)
        family = title.split()[0]
        found = float(np.mean(lines["PA-I, C=1"]))
        best[family] = min(best.get(family, (9.0, "")), (found, title))
    file = ROOT / "docs" / "images" / f"digits_{name}.png"
    picture(name, {title: curves[title] for _, title in best.values()}, file)
    head = (
        "kernel",
        "learner",
        "rows",
        "online error %",
        "test error %",
        "updates",
        "µs per row",
        "µs per update",
    )
    text = f"""## Digits: {name.upper()}, experiment 3 of Behuet's lecture

`python -m benchmarks.experiments.digits {name}`

Unit-norm rows, one pass, no intercept; test: the {len(digits.t):,} test images. Linear: mean ± \
standard deviation over {repeats} orders of the rows (that of the file and permutations); with \
kernels: the file's order. µs: CPU time of predicting and learning, per row and per row that was \
learned from (those whose margin is at most 0 for perceptrons and MIRA, 1 for the others).

{table(head, cells)}

![Online error of each learner](images/{file.name})
"""
    write_part(f"digits {name}", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*KERNELS, []], default=[])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of MNIST with kernels")
    parser.add_argument("--full", action="store_true", help="all rows of MNIST with kernels")
    parser.add_argument("--repeats", type=int, default=5, help="orders of the rows, linear")
    options = parser.parse_args()
    load = loader(options.data)
    for name in options.names or KERNELS:
        one(name, load, 10**9 if options.full else options.rows, options.repeats)


if __name__ == "__main__":
    main()
