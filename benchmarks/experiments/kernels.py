"""Budget learners side by side, on real data: mistakes, time and memory.

    python -m benchmarks.experiments.kernels [budgets] [noise] [drift] [flat] [sparse]

Each writes its parts of docs/experiments.md. `--only banana,a9a` names sets of `budgets`;
`--rows N` reads at most so many rows of each set.
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
    KernelPA,
    KernelPerceptron,
    LeastRecentPerceptron,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Stoptron,
    TighterBudgetPerceptron,
)
from onstream.streams import SEA, Drift, Hyperplane, RandomRBF, Sine

from .folder import DATA, loader
from .page import table, write_part

SORTED = ("magic", "spambase", "w8a")  # by label: shuffled with a fixed seed
LIBSVM = ("a9a", "ijcnn1", "mushrooms", "w8a")  # files in its format; all sparse but for ijcnn1
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


BUDGETS = (50, 100, 200, 500)
FREE = "no budget: "


def dataset(load: Any, name: str, rows: int) -> tuple[Any, np.ndarray, float]:
    """Standardised numbers (those of LIBSVM as they are), labels, and gamma."""
    split = "train" if name in ("a9a", "ijcnn1") else "all"
    X, y = load(name, rows="csr", split=split) if name in LIBSVM else load(name)
    if name not in LIBSVM:
        X = X.to_numpy(dtype=float)
        deviation = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(deviation == 0.0, 1.0, deviation)
    elif name == "ijcnn1":
        X = X.toarray()
    y = np.asarray(y)
    order = np.arange(len(y))
    if name in SORTED:
        order = np.random.default_rng(0).permutation(len(y))
    order = order[:rows]
    return X[order], (y[order] == np.unique(y)[-1]).astype(int), GAMMAS.get(name, 1 / X.shape[1])


def measured(model: Any, X: Any, y: np.ndarray) -> tuple[int, float, float]:
    """Mistakes, microseconds of CPU time per example, KiB at the end."""
    start = time.process_time()
    told = model.predict_learn_many(X, y)
    seconds = time.process_time() - start
    return int(np.sum(told != y)), 1e6 * seconds / len(y), model.memory_bytes / 1024


def budgets(load: Any, rows: int, names: tuple[str, ...]) -> None:
    """Every budget learner at four budgets."""
    for name in names:
        X, y, gamma = dataset(load, name, rows)
        cells = []
        for label, make in LEARNERS.items():
            sizes = BUDGETS[:1] if label.startswith(FREE) else BUDGETS
            found = []
            for B in sizes:
                mistakes, micro, kib = measured(make(RBF(gamma=gamma), B), X, y)
                error = f"{100 * mistakes / len(y):.1f}"
                found.append(f"{mistakes:,} ({error} %); {micro:.1f}; {kib:,.0f}")
            cells.append((label, *found, *[""] * (4 - len(found))))
            print(name, *cells[-1], file=sys.stderr, flush=True)
        head = ("learner", *(f"B = {B}" for B in BUDGETS))
        shuffled = ", shuffled" if name in SORTED else ""
        text = f"""## Budgets on {name}: {len(y):,} rows{shuffled}, {X.shape[1]} features, \
gamma {gamma:.3g}

`python -m benchmarks.experiments.kernels budgets --only {name}`

Each cell: mistakes (error rate); µs of CPU time per example, predicting and learning; KiB.

{table(head, cells)}
"""
        write_part(f"kernel budgets {name}", text)


def noise(load: Any, rows: int, names: tuple[str, ...]) -> None:
    """Two Gaussians in the plane, one label in ten flipped, about 106 supports."""
    errors: dict[str, list[float]] = {}
    learners: dict[str, Make] = {
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
    published = {
        "KernelPA (PA-I, no budget)": "15.4",
        "ProjectronPlusPlus": "15.9",
        "Projectron": "21.4",
        "KernelPerceptron (no budget)": "21.6",
        "Forgetron": "23.6",
        "RandomizedPerceptron": "24.1",
    }
    n = min(rows, 10_000)
    for seed in range(5):
        X, y = two_gaussians(n, seed)
        for name, make in learners.items():
            mistakes, _, _ = measured(make(RBF(gamma=1.0), 106), X, y)
            errors.setdefault(name, []).append(100 * mistakes / n)
    cells = [
        (name, f"{np.mean(values):.1f} ± {np.std(values):.1f}", published.get(name, ""))
        for name, values in sorted(errors.items(), key=lambda item: np.mean(item[1]))
    ]
    text = f"""## Kernel learners and noisy labels

`python -m benchmarks.experiments.kernels noise`

Two Gaussians in the plane, one label in ten flipped, {n:,} points, RBF gamma 1, 106 supports; \
error in %, mean ± standard deviation over 5 seeds. Beside them the figures of DOGMA for a set \
like this, whose generator is not published: only the order can be compared.

{table(("learner", "error %", "DOGMA"), cells)}
"""
    write_part("kernel noise", text)


def two_gaussians(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of two classes, one label in ten flipped."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + np.where(y[:, None] == 1, 1.5, -1.5) * [1.0, 0.0]
    return X, np.where(rng.random(n) < 0.1, 1 - y, y)


def shifting(seed: int) -> dict[str, tuple[Any, float]]:
    """Streams that change half-way, or all the time, and gamma."""
    a, b = 2 * seed + 1, 2 * seed + 2
    at = 10_000
    return {
        "Sine, labels swapped": (Drift(Sine(1, seed=a), Sine(2, seed=b), at=at), 10.0),
        "SEA, noise 10 %": (
            Drift(SEA(1, noise=0.1, seed=a), SEA(3, noise=0.1, seed=b), at=at),
            0.1,
        ),
        "RandomRBF, another one": (Drift(RandomRBF(seed=a), RandomRBF(seed=b), at=at), 2.0),
        "RandomRBF, moving": (RandomRBF(speed=0.001, seed=a), 2.0),
        "Hyperplane, moving, noise 5 %": (Hyperplane(mag=0.01, noise=0.05, seed=a), 0.3),
    }


def drift(load: Any, rows: int, names: tuple[str, ...]) -> None:
    """Streams that change, where a budget may beat the learner that forgets nothing."""
    B, n = 200, min(rows, 20_000)
    streams: dict[str, list[tuple[Any, np.ndarray, float]]] = {}
    for seed in range(3):
        for name, (stream, gamma) in shifting(seed).items():
            X, y = next(iter(stream.batches(n)))
            X = np.column_stack([X[c] for c in X.columns]) if hasattr(X, "columns") else X
            streams.setdefault(name, []).append(
                (np.ascontiguousarray(X, dtype=float), np.asarray(y).astype(int), gamma)
            )
    for name in ("usenet2", "luxembourg"):
        streams[name] = [dataset(load, name, rows)]
    errors: dict[str, list[float]] = {}
    for label, make in LEARNERS.items():
        for parts in streams.values():
            rates = [measured(make(RBF(gamma=g), B), X, y)[0] / len(y) for X, y, g in parts]
            errors.setdefault(label, []).append(100 * float(np.mean(rates)))
        print("drift", label, *(f"{e:.1f}" for e in errors[label]), file=sys.stderr, flush=True)
    perceptron, pa = errors[FREE + "KernelPerceptron"], errors[FREE + "KernelPA"]
    cells = []
    for label, found in errors.items():
        mine = perceptron if "ron" in label else pa  # perceptrons of all kinds; PA and gradients
        cell = [
            f"**{e:.1f}**" if e < min(p, q) else f"{e:.1f}*" if e < own else f"{e:.1f}"
            for e, own, p, q in zip(found, mine, perceptron, pa, strict=True)
        ]
        cells.append((label, *cell))
    text = f"""## Kernel learners on streams that change

`python -m benchmarks.experiments.kernels drift`

Online error in % at B = {B}; generators: {n:,} rows, the change (`Drift`) after 10,000, mean of \
3 seeds; usenet2 (1,500 rows) and luxembourg (1,901) in their order. \\* better than the same kind \
of learner without a budget (perceptrons: KernelPerceptron, others: KernelPA); **bold**: better \
than both of these.

{table(("learner", *streams), cells)}
"""
    write_part("kernel drift", text)


def flat(load: Any, rows: int, names: tuple[str, ...]) -> None:
    """A million examples with a full budget: the cost of each 100,000."""
    learners: dict[str, Any] = {
        "LeastRecentPerceptron, B = 500": LeastRecentPerceptron(kernel=RBF(gamma=0.05), budget=500),
        "Forgetron, B = 500": Forgetron(kernel=RBF(gamma=0.05), budget=500),
        "BudgetedPA simple, B = 200": BudgetedPA(kernel=RBF(gamma=0.05), budget=200, C=0.1),
        "ProjectronPlusPlus, B = 100": ProjectronPlusPlus(kernel=RBF(gamma=0.05), budget=100),
        "NOGD, B = 200, rank 50": NOGD(kernel=RBF(gamma=0.05), budget=200, rank=50),
    }
    n = min(rows, 100_000)
    rng = np.random.default_rng(0)
    direction = rng.normal(size=20)
    cells = []
    for label, model in learners.items():
        model.learn_many(*noisy(rng, direction, 20_000))  # the budget is full now
        held, micro = model.memory_bytes, []
        for _ in range(10):
            X, y = noisy(rng, direction, n)
            start = time.process_time()
            model.predict_learn_many(X, y)
            micro.append(1e6 * (time.process_time() - start) / n)
        grown = f"{held / 1024:,.0f} → {model.memory_bytes / 1024:,.0f}"
        cells.append((label, ", ".join(f"{m:.2f}" for m in micro), grown))
        print("flat", *cells[-1], file=sys.stderr, flush=True)
    head = ("learner", f"µs per example in each {n:,} of a stream", "KiB, first → last")
    text = f"""## Kernel learners on a long stream

`python -m benchmarks.experiments.kernels flat`

{10 * n:,} examples of 20 normal features, one label in five flipped, the budget full from the \
start; CPU time of predicting and learning.

{table(head, cells)}
"""
    write_part("kernel flat", text)


def noisy(rng: Any, direction: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A plane with one label in five flipped."""
    X = rng.normal(size=(n, len(direction)))
    return X, (X @ direction > 0.0) ^ (rng.random(n) < 0.2)


def sparse(load: Any, rows: int, names: tuple[str, ...]) -> None:
    """Few of very many features: time and memory."""
    cells = []
    for name in ("a9a", "w8a", "reuters_moneyfx", "sector", "news20"):
        split = "all" if name in ("w8a", "news20") else "train"
        X, y = load(name, rows="csr", split=split)
        order = np.random.default_rng(0).permutation(len(y))[:rows]
        X, y = X[order], np.asarray(y)[order]
        gamma = 1.0 if X.shape[1] > 1000 else 1.0 / X.shape[1]
        for label, model in {
            "LeastRecentPerceptron, B = 500": LeastRecentPerceptron(
                kernel=RBF(gamma=gamma), budget=500
            ),
            "KernelPA, no budget": KernelPA(kernel=RBF(gamma=gamma)),
        }.items():
            mistakes, micro, kib = measured(model, X, y)
            supports = len(model.supports)
            data = name, f"{len(y):,}", f"{X.shape[1]:,}", f"{X.nnz / len(y):.0f}"
            block = f"{8 * supports * X.shape[1] / 2**20:,.0f}"
            error = f"{100 * mistakes / len(y):.1f}"
            cells.append(
                (*data, label, f"{supports:,}", error, f"{micro:.0f}", f"{kib / 1024:.1f}", block)
            )
            print("sparse", *cells[-1], file=sys.stderr, flush=True)
    head = (
        "data",
        "rows",
        "features",
        "of them per row",
        "learner",
        "supports",
        "error %",
        "µs",
        "MiB",
        "MiB of a dense block",
    )
    text = f"""## Kernel learners with very many features

`python -m benchmarks.experiments.kernels sparse`

One pass in random order; CPU time per example, predicting and learning; memory of the whole model \
beside that of a dense block of its supports.

{table(head, cells)}
"""
    write_part("kernel sparse", text)


def main() -> None:
    jobs = {"noise": noise, "drift": drift, "flat": flat, "sparse": sparse, "budgets": budgets}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiments", nargs="*", choices=[*jobs, []], default=[])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--only", default=",".join(SETS), help="data sets of `budgets`, by commas")
    options = parser.parse_args()
    load = loader(options.data)
    for name in options.experiments or jobs:
        jobs[name](load, options.rows, tuple(options.only.split(",")))


if __name__ == "__main__":
    main()
