"""Experiment 3 of Behuet's lecture, for real: multiclass learners on USPS and MNIST.

    python -m benchmarks.experiments.digits [usps] [mnist] [--full] [--rows N] [--data DIR]

Writes its part of docs/experiments.md and docs/images/digits_*.png. Linear learners see all rows,
those with kernels all of USPS and the first 10,000 of MNIST (`--full`: all).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from onstream.kernel import RBF, KernelMIRA, KernelPA, KernelPerceptron, Polynomial
from onstream.linear import MIRA, ExactMulticlassPA, MulticlassPerceptron, PAClassifier

from .folder import DATA, loader
from .page import ROOT, table, write_part, write_picture

Make = Callable[[Any], Any]  # of a kernel; None: linear
LABELS = range(10)
MARGIN = {"perceptron": 0.0, "MIRA": 0.0}  # a larger margin causes no update; others: 1
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


def pa(variant: Any, C: float = 1.0) -> Make:
    def make(kernel: Any) -> Any:
        if kernel is None:
            return PAClassifier(variant=variant, C=C, intercept=False, labels=LABELS)
        return KernelPA(kernel=kernel, variant=variant, C=C, labels=LABELS)

    return make


def perceptron(update: Any) -> Make:
    def make(kernel: Any) -> Any:
        if kernel is None:
            return MulticlassPerceptron(update=update, intercept=False, labels=LABELS)
        return KernelPerceptron(kernel=kernel, update=update, labels=LABELS)

    return make


def mira(kernel: Any) -> Any:
    if kernel is None:
        return MIRA(intercept=False, labels=LABELS)
    return KernelMIRA(kernel=kernel, labels=LABELS)


def exact(kernel: Any) -> Any:
    if kernel is None:
        return ExactMulticlassPA(C=1.0, intercept=False, labels=LABELS)
    return KernelMIRA(kernel=kernel, beta=1.0, labels=LABELS)  # the same predictions (spec 3)


LEARNERS: dict[str, Make] = {
    "PA": pa("PA"),
    "PA-I, C=1": pa("PA-I"),
    "PA-I, C=0.1": pa("PA-I", 0.1),
    "PA-II, C=1": pa("PA-II"),
    "PA-II, C=0.1": pa("PA-II", 0.1),
    "perceptron max": perceptron("max"),
    "perceptron uniform": perceptron("uniform"),
    "perceptron proportional": perceptron("proportional"),
    "MIRA": mira,
    "ExactMulticlassPA": exact,
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


def margins(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Score of the true label minus the best other one."""
    rows = np.arange(len(y))
    others = scores.copy()
    others[rows, y] = -np.inf
    return np.asarray(scores[rows, y] - others.max(axis=1))


def run(make: Make, kernel: Any, digits: Digits, order: np.ndarray) -> dict[str, Any]:
    """One pass, and what came of it."""
    model = make(kernel)
    X, y = digits.X[order], digits.y[order]
    start = time.process_time()
    scores = model.predict_learn_many(X, y, output="score")
    seconds = time.process_time() - start
    wrong = scores.argmax(axis=1) != y
    return {
        "wrong": wrong,
        "online": 100 * wrong.mean(),
        "test": 100 * np.mean(model.predict_many(digits.T) != digits.t),
        "margins": margins(scores, y),
        "seconds": seconds,
    }


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
            runs = [run(make, kernel, digits, order) for order in orders]
            limit = MARGIN.get(learner.split()[0], 1.0)
            updates = np.mean([np.sum(r["margins"] <= limit) for r in runs])
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
