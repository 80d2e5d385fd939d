"""Budget learners side by side, on real data: mistakes, time and memory, as tables of Markdown.

``python -m benchmarks.experiments.kernels NAME``: budgets, noise, drift, structured or digits;
``--data DIR`` names the folder with load.py (default: ../shared/data), ``--rows N`` reads at most
so many rows of each set.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from onstream.kernel import (
    BOGD,
    FOGD,
    NOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelMIRA,
    KernelPA,
    KernelPerceptron,
    LeastRecentPerceptron,
    Normalized,
    Polynomial,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Spectrum,
    Stoptron,
    Subsequence,
    SubsetTree,
    TighterBudgetPerceptron,
    WeisfeilerLehman,
)
from onstream.linear import (
    MIRA,
    ExactMulticlassPA,
    MulticlassPerceptron,
    PAClassifier,
)

ROOT = Path(__file__).resolve().parents[2]
SORTED = ("magic", "spambase", "w8a")  # by label: shuffled with a fixed seed
SPARSE = ("a9a", "ijcnn1", "mushrooms", "w8a")  # files in the format of LIBSVM
Make = Callable[[Any, int], Any]
LEARNERS: dict[str, Make] = {
    "Stoptron": lambda k, B: Stoptron(kernel=k, budget=B),
    "RandomizedPerceptron": lambda k, B: RandomizedPerceptron(kernel=k, budget=B),
    "LeastRecentPerceptron": lambda k, B: LeastRecentPerceptron(kernel=k, budget=B),
    "FixedBudgetPerceptron": lambda k, B: FixedBudgetPerceptron(kernel=k, budget=B),
    "TighterBudgetPerceptron": lambda k, B: TighterBudgetPerceptron(kernel=k, budget=B),
    "Forgetron": lambda k, B: Forgetron(kernel=k, budget=B),
    "Forgetron basic": lambda k, B: Forgetron(kernel=k, budget=B, variant="basic"),
    "Forgetron simple": lambda k, B: Forgetron(kernel=k, budget=B, variant="simple"),
    "Projectron": lambda k, B: Projectron(kernel=k, budget=B),
    "ProjectronPlusPlus": lambda k, B: ProjectronPlusPlus(kernel=k, budget=B),
    "BudgetedPA simple": lambda k, B: BudgetedPA(kernel=k, budget=B, C=0.5),
    "BudgetedPA nearest": lambda k, B: BudgetedPA(kernel=k, budget=B, C=0.5, maintenance="nearest"),
    "BudgetedPA projection": lambda k, B: BudgetedPA(
        kernel=k, budget=B, C=0.5, maintenance="projection"
    ),
    "BOGD": lambda k, B: BOGD(kernel=k, budget=B),
    "NOGD": lambda k, B: NOGD(kernel=k, budget=B, rank=min(B, 50)),
    "FOGD": lambda k, B: FOGD(kernel=k, n_components=B),
    "no budget: KernelPerceptron": lambda k, B: KernelPerceptron(kernel=k),
    "no budget: KernelPA": lambda k, B: KernelPA(kernel=k, C=0.5),
}
SETS = ("banana", "phoneme", "spambase", "magic", "a9a", "ijcnn1", "mushrooms", "w8a")
GAMMAS = {"banana": 1.0, "phoneme": 0.5, "magic": 0.1, "ijcnn1": 1.0, "a9a": 0.05}


def reader(folder: Path) -> Any:
    sys.path.insert(0, str(folder))
    from load import load  # type: ignore[import-not-found]

    return load


def dataset(load: Any, name: str, rows: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Standardised numbers (binary features as they are), labels, and gamma."""
    X, y = load(name, rows="csr") if name in SPARSE else load(name)
    if hasattr(X, "toarray"):
        matrix = X.toarray().astype(float)
    else:
        matrix = X.to_numpy(dtype=float)
        deviation = matrix.std(axis=0)
        matrix = (matrix - matrix.mean(axis=0)) / np.where(deviation == 0.0, 1.0, deviation)
    y = np.asarray(y)
    order = np.arange(len(y))
    if name in SORTED:
        order = np.random.default_rng(0).permutation(len(y))
    order = order[:rows]
    labels = np.unique(y)
    return (
        np.ascontiguousarray(matrix[order]),
        (y[order] == labels[-1]).astype(int),
        GAMMAS.get(name, 1.0 / matrix.shape[1]),
    )


def measured(model: Any, X: Any, y: Any) -> tuple[float, float, float]:
    """Error rate, microseconds per example, KiB at the end."""
    start = time.perf_counter()
    told = model.predict_learn_many(X, y)
    seconds = time.perf_counter() - start
    wrong = np.mean([a != b for a, b in zip(told, y, strict=True)])
    return float(wrong), 1e6 * seconds / len(y), model.memory_bytes / 1024


def row(*cells: Any) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def budgets(load: Any, rows: int) -> None:
    """Every budget learner at four budgets."""
    for name in SETS:
        X, y, gamma = dataset(load, name, rows)
        print(f"\n**{name}**, {len(y):,} rows, {X.shape[1]} features, gamma {gamma:.3g}\n")
        sizes = (50, 100, 200, 500)
        row("learner", *(f"B={B}: error %, µs, KiB" for B in sizes))
        row(*["---"] * 5)
        for label, make in LEARNERS.items():
            free = label.startswith("no budget")
            cells = []
            for B in sizes[:1] if free else sizes:
                error, micro, kib = measured(make(RBF(gamma=gamma), B), X, y)
                cells.append(f"{100 * error:.1f}, {micro:.1f}, {kib:,.0f}")
            row(label, *cells, *[""] * (4 - len(cells)))


def noise(load: Any, rows: int) -> None:
    """Two Gaussians in the plane, one label in ten flipped, about 106 supports."""
    errors: dict[str, list[float]] = {}
    names = {
        "KernelPA (PA-I, no budget)": lambda k, B: KernelPA(kernel=k, C=0.1),
        "ProjectronPlusPlus": lambda k, B: ProjectronPlusPlus(kernel=k, eta=0.1, budget=B),
        "Projectron": lambda k, B: Projectron(kernel=k, eta=0.1, budget=B),
        "KernelPerceptron (no budget)": lambda k, B: KernelPerceptron(kernel=k),
        "Forgetron": lambda k, B: Forgetron(kernel=k, budget=B),
        "RandomizedPerceptron": lambda k, B: RandomizedPerceptron(kernel=k, budget=B),
        "BudgetedPA projection": lambda k, B: BudgetedPA(
            kernel=k, budget=B, C=0.1, maintenance="projection"
        ),
    }
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, min(rows, 10_000))
        X = rng.normal(size=(len(y), 2)) + np.where(y[:, None] == 1, 1.5, -1.5) * [1.0, 0.0]
        y = np.where(rng.random(len(y)) < 0.1, 1 - y, y)
        for name, make in names.items():
            error, _, _ = measured(make(RBF(gamma=1.0), 106), X, y)
            errors.setdefault(name, []).append(100 * error)
    row("learner", "error %", "sd over 5 seeds")
    row(*["---"] * 3)
    for name, values in sorted(errors.items(), key=lambda item: np.mean(item[1])):
        row(name, f"{np.mean(values):.1f}", f"{np.std(values):.1f}")


def drift(load: Any, rows: int) -> None:
    """Streams that change, where a budget may beat the learner that forgets nothing."""
    rng = np.random.default_rng(0)
    n = min(rows, 12_000)
    X = rng.normal(size=(n, 2))
    angle = 2.0 * np.pi * (np.arange(n) // 2000) / 6.0  # a border that turns every 2,000 rows
    y = (X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0.0).astype(int)
    flips = ((X[:, 0] > 0.0) ^ (np.arange(n) // 2000 % 2 == 1)).astype(int)
    streams = {"turning border": (X, y, 0.5), "labels swapped": (X, flips, 0.5)}
    for name in ("usenet2", "luxembourg"):
        streams[name] = dataset(load, name, rows)
    row("learner, B=100", *streams)
    row(*["---"] * (1 + len(streams)))
    for label, make in LEARNERS.items():
        cells = []
        for A, b, gamma in streams.values():
            cells.append(f"{100 * measured(make(RBF(gamma=gamma), 100), A, b)[0]:.1f}")
        row(label, *cells)


def structured(load: Any, rows: int) -> None:
    """Questions by strings and trees, molecules by graphs."""
    X, y = load("trec6")
    questions = [str(x).lower() for x in (X.iloc[:, 0] if hasattr(X, "iloc") else X)]
    trees, _ = load("trec6_trees")
    trees = [str(x) for x in (trees.iloc[:, 0] if hasattr(trees, "iloc") else trees)]
    sets: list[tuple[str, Any, Any, list[tuple[str, Any]], int]] = [
        (
            "TREC-6",
            questions,
            y,
            [
                ("Spectrum(4) of characters", Normalized(Spectrum(4))),
                ("Subsequence(2) of words", Normalized(Subsequence(2, 0.5))),
            ],
            5452,
        ),
        ("TREC-6 trees", trees, y, [("SubsetTree", Normalized(SubsetTree()))], 5452),
    ]
    for name in ("mutag", "ptc_mr", "nci1", "enzymes"):
        graphs, labels = load(name)
        sets.append((name, list(graphs), labels, [("WL h=3", Normalized(WeisfeilerLehman(3)))], 0))
    row("data", "kernel", "learner", "rows", "online accuracy %", "held-out %", "supports", "s")
    row(*["---"] * 8)
    for name, xs, ys, kernels, cut in sets:
        ys = np.asarray(ys)
        if not cut:
            order = np.random.default_rng(0).permutation(len(ys))
            xs, ys, cut = [xs[i] for i in order], ys[order], int(0.9 * len(ys))
        train = min(cut, rows)
        for kernel_name, kernel in kernels:
            items = [x.split() for x in xs] if "words" in kernel_name else xs
            for learner, model in (
                ("KernelPA", KernelPA(kernel=kernel)),
                ("LeastRecentPerceptron B=200", LeastRecentPerceptron(kernel=kernel, budget=200)),
                ("BudgetedPA B=200", BudgetedPA(kernel=kernel, budget=200)),
            ):
                start = time.perf_counter()
                labels = [v.item() if hasattr(v, "item") else v for v in ys]
                told = model.predict_learn_many(items[:train], labels[:train])
                online = np.mean([a == b for a, b in zip(told, labels[:train], strict=True)])
                held = model.predict_many(items[cut:])
                test = np.mean([a == b for a, b in zip(held, labels[cut:], strict=True)])
                row(
                    name,
                    kernel_name,
                    learner,
                    train,
                    f"{100 * online:.1f}",
                    f"{100 * test:.1f}",
                    len(model.supports),
                    f"{time.perf_counter() - start:.0f}",
                )


def digits(load: Any, rows: int) -> None:
    """Experiment 3 of the lecture: multiclass learners, linear and with kernels."""
    linear: dict[str, Any] = {
        "PA": lambda: PAClassifier(variant="PA", intercept=False),
        "PA-I": lambda: PAClassifier(variant="PA-I", C=1.0, intercept=False),
        "PA-II": lambda: PAClassifier(variant="PA-II", C=1.0, intercept=False),
        "perceptron max": lambda: MulticlassPerceptron(update="max", intercept=False),
        "perceptron uniform": lambda: MulticlassPerceptron(update="uniform", intercept=False),
        "perceptron proportional": lambda: MulticlassPerceptron(
            update="proportional", intercept=False
        ),
        "MIRA": lambda: MIRA(intercept=False),
        "ExactMulticlassPA": lambda: ExactMulticlassPA(C=1.0, intercept=False),
    }
    kernels: dict[str, Any] = {
        "PA": lambda k: KernelPA(kernel=k, variant="PA"),
        "PA-I": lambda k: KernelPA(kernel=k, variant="PA-I", C=1.0),
        "PA-II": lambda k: KernelPA(kernel=k, variant="PA-II", C=1.0),
        "perceptron max": lambda k: KernelPerceptron(kernel=k, update="max"),
        "perceptron uniform": lambda k: KernelPerceptron(kernel=k, update="uniform"),
        "perceptron proportional": lambda k: KernelPerceptron(kernel=k, update="proportional"),
        "MIRA": lambda k: KernelMIRA(kernel=k),
        "ExactMulticlassPA": lambda k: KernelMIRA(kernel=k, beta=1.0),
    }
    row("data", "kernel", "learner", "rows", "online error %", "test error %", "µs per row")
    row(*["---"] * 7)
    for name in ("usps", "mnist"):
        train, test = load(name, split="train"), load(name, split="test")
        X, T = (np.asarray(part[0], dtype=float) for part in (train, test))
        X, T = (M.reshape(len(M), -1) for M in (X, T))
        X, T = (M / np.maximum(np.linalg.norm(M, axis=1, keepdims=True), 1e-12) for M in (X, T))
        y, t = (np.asarray(part[1]).astype(int) for part in (train, test))
        for kernel_name, kernel in (
            ("linear", None),
            ("polynomial 3", Polynomial(degree=3)),
            ("RBF 2", RBF(gamma=2.0)),
        ):
            n = len(y) if kernel is None or name == "usps" else min(rows, 10_000)
            for learner in linear:
                model = linear[learner]() if kernel is None else kernels[learner](kernel)
                online, micro, _ = measured(model, X[:n], y[:n])
                wrong = np.mean(model.predict_many(T) != t)
                cells = f"{100 * online:.2f}", f"{100 * wrong:.2f}", f"{micro:.0f}"
                row(name, kernel_name, learner, n, *cells)


def main() -> None:
    jobs = {f.__name__: f for f in (budgets, noise, drift, structured, digits)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment", choices=jobs)
    parser.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--only", default="", help="data sets of `budgets`, by commas")
    options = parser.parse_args()
    if options.only:
        global SETS
        SETS = tuple(options.only.split(","))
    jobs[options.experiment](reader(options.data.resolve()), options.rows)


if __name__ == "__main__":
    main()
