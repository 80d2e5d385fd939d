"""Mistake rates of LIBOL on svmguide3 and ijcnn1, and test accuracies of SOL on MNIST, beside ours.

    python -m benchmarks.experiments.libol [--permutations 20] [--data ../shared/data]

LIBOL: online mistakes over random permutations, no intercept, parameters tuned on one further
permutation. SOL: accuracy on MNIST's test images after one pass over the training images. The
published figures were handed to us with the task; we have not looked them up in the papers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from onstream.linear import AROW, CW, SCW, PAClassifier, Perceptron, SGDClassifier

from .folder import DATA, loader
from .page import table, write_part

POWERS = [2.0**i for i in range(-4, 5)]
ETAS = [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
TUNING = 1000  # seed of the permutation that parameters are tuned on
Params = dict[str, Any]


@dataclass(frozen=True)
class Algorithm:
    """A learner, the grid it is tuned over, and what was published for it."""

    name: str
    cls: Callable[..., Any]
    fixed: Params
    grid: dict[str, list[float]] = field(default_factory=dict)
    published: dict[str, float] = field(default_factory=dict)

    def make(self, chosen: Params) -> Any:
        return self.cls(**self.fixed, **chosen, intercept=False, labels=[-1, 1])

    def settings(self) -> Iterator[Params]:
        for values in product(*self.grid.values()):
            yield dict(zip(self.grid, values, strict=True))


def libol(
    name: str,
    cls: Callable[..., Any],
    fixed: Params,
    grid: dict[str, list[float]],
    svmguide3: float,
    ijcnn1: float,
) -> Algorithm:
    return Algorithm(name, cls, fixed, grid, {"svmguide3": svmguide3, "ijcnn1": ijcnn1})


FULL = {"covariance": "full"}
ALGORITHMS = (
    libol("Perceptron", Perceptron, {}, {}, 0.332, 0.106),
    libol("PA", PAClassifier, {"variant": "PA"}, {}, 0.318, 0.102),
    libol("PA-I", PAClassifier, {"variant": "PA-I"}, {"C": POWERS}, 0.236, 0.077),
    libol("PA-II", PAClassifier, {"variant": "PA-II"}, {"C": POWERS}, 0.253, 0.081),
    libol(
        "OGD", SGDClassifier, {"loss": "hinge", "schedule": "sqrt"}, {"eta": POWERS}, 0.237, 0.095
    ),
    libol("CW", CW, FULL, {"eta": ETAS}, 0.299, 0.093),
    libol("AROW", AROW, FULL, {"r": POWERS}, 0.222, 0.082),
    libol("SCW-I", SCW, {"variant": "I", **FULL}, {"C": POWERS, "eta": ETAS}, 0.206, 0.060),
    libol("SCW-II", SCW, {"variant": "II", **FULL}, {"C": POWERS, "eta": ETAS}, 0.212, 0.070),
)
DEFAULTS: dict[str, Params] = {  # LIBOL's own
    "PA-I": {"C": 1.0},
    "PA-II": {"C": 1.0},
    "OGD": {"eta": 1.0},
    "CW": {"eta": 0.7},
    "AROW": {"r": 1.0},
    "SCW-I": {"C": 1.0, "eta": 0.75},
    "SCW-II": {"C": 1.0, "eta": 0.9},
}


def mistake_rate(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Share of rows whose sign was wrong before they were learned; 0 counts as +1."""
    scores = model.predict_learn_many(X, y, output="score")
    return float(np.mean((scores >= 0.0) != (y > 0)))


def permutation(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(n)


def tuned(algorithm: Algorithm, X: np.ndarray, y: np.ndarray, seed: int = TUNING) -> Params:
    """The setting with the fewest mistakes on the permutation kept for tuning."""
    order = permutation(len(y), seed)
    rows, labels = X[order], y[order]
    return min(algorithm.settings(), key=lambda s: mistake_rate(algorithm.make(s), rows, labels))


def rates(
    algorithm: Algorithm, chosen: Params, X: np.ndarray, y: np.ndarray, permutations: int
) -> np.ndarray:
    found = []
    for seed in range(permutations):
        order = permutation(len(y), seed)
        found.append(mistake_rate(algorithm.make(chosen), X[order], y[order]))
    return np.array(found)


@dataclass(frozen=True)
class Result:
    """What came out for one algorithm on one data set."""

    name: str
    published: float
    default: np.ndarray
    chosen: Params
    tuned: np.ndarray


def compare(
    name: str, X: np.ndarray, y: np.ndarray, permutations: int, algorithms: Any = ALGORITHMS
) -> list[Result]:
    """All algorithms on one data set, with LIBOL's defaults and tuned."""
    results = []
    for algorithm in algorithms:
        default = rates(algorithm, DEFAULTS.get(algorithm.name, {}), X, y, permutations)
        chosen = tuned(algorithm, X, y) if algorithm.grid else {}
        found = rates(algorithm, chosen, X, y, permutations) if chosen else default
        published = algorithm.published[name]
        results.append(Result(algorithm.name, published, default, chosen, found))
    return results


def luck(
    name: str, X: np.ndarray, y: np.ndarray, tunings: int, permutations: int
) -> list[list[Any]]:
    """How much hangs on the permutation that SCW's 81 settings are tuned on: rows of a table."""
    rows = []
    for algorithm in ALGORITHMS:
        if algorithm.name.startswith("SCW"):
            found = []
            for seed in range(TUNING, TUNING + tunings):
                chosen = tuned(algorithm, X, y, seed)
                found.append(rates(algorithm, chosen, X, y, permutations).mean())
            told = [found[0], *np.quantile(found, [0.0, 0.5, 1.0])]
            rows.append([name, algorithm.name, tunings, *(f"{rate:.3f}" for rate in told)])
    return rows


# -- MNIST ---------------------------------------------------------------------------------------

MNIST = (
    ("PA-I", partial(PAClassifier, variant="PA-I"), "C", [2.0**i for i in range(-8, 1, 2)], 0.875),
    ("AROW", AROW, "r", [0.1, 1.0, 3.0, 10.0, 30.0, 100.0], 0.923),
    ("OGD", partial(SGDClassifier, schedule="sqrt"), "eta", [0.03, 0.1, 0.3, 1.0, 3.0], 0.917),
)


@dataclass(frozen=True)
class Accuracy:
    """Test accuracies on MNIST with the default and with the tuned parameter."""

    name: str
    published: float
    default: np.ndarray
    chosen: str
    tuned: np.ndarray


def mnist(
    X: np.ndarray, y: np.ndarray, test: np.ndarray, test_y: np.ndarray, permutations: int
) -> list[Accuracy]:
    """One pass over permutations; the parameter is tuned on a sixth of one further permutation."""
    order = permutation(len(y), TUNING)
    learned, held = np.split(order, [len(y) * 5 // 6])
    held_X, held_y = X[held], y[held]

    def accuracy(model: Any, rows: np.ndarray, asked: np.ndarray, labels: np.ndarray) -> float:
        for part in np.array_split(rows, 12):  # a copy of all rows would be large
            model.learn_many(X[part], y[part])
        return float(np.mean(model.predict_many(asked) == labels))

    def accuracies(make: Callable[[], Any]) -> np.ndarray:
        orders = (permutation(len(y), seed) for seed in range(permutations))
        return np.array([accuracy(make(), rows, test, test_y) for rows in orders])

    results = []
    for name, cls, parameter, grid, published in MNIST:
        found = {v: accuracy(cls(**{parameter: v}), learned, held_X, held_y) for v in grid}
        best = max(found, key=lambda value: found[value])
        default, tuned = accuracies(cls), accuracies(partial(cls, **{parameter: best}))
        results.append(Accuracy(name, published, default, f"{parameter}={best:g}", tuned))
    return results


# -- data and page -------------------------------------------------------------------------------


def read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows that LIBOL used, dense."""
    load = loader(folder)
    if name == "svmguide3":  # its training part: the other 41 rows are LIBSVM's test part
        X, y = load(name)
        return X.to_numpy(dtype=float)[:1243], np.asarray(y[:1243], dtype=int)
    X, y = load(name, rows="csr")
    return np.ascontiguousarray(X.toarray()), np.asarray(y, dtype=int)


def read_mnist(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    load = loader(folder)
    (X, y), (test, test_y) = load("mnist", split="train"), load("mnist", split="test")
    return (
        X.reshape(len(X), -1) / 255.0,
        y.astype(int),
        test.reshape(len(test), -1) / 255.0,
        test_y.astype(int),
    )


def spread(values: np.ndarray) -> str:
    return (
        f"{values.mean():.3f} ± {values.std(ddof=1):.3f}" if len(values) > 1 else f"{values[0]:.3f}"
    )


def rates_table(results: list[Result]) -> str:
    rows = []
    for r in results:
        told = ", ".join(f"{name}={value:g}" for name, value in r.chosen.items()) or "–"
        rows.append([r.name, f"{r.published:.3f}", spread(r.default), spread(r.tuned), told])
    return table(["learner", "LIBOL", "ours, LIBOL's defaults", "ours, tuned", "chosen"], rows)


def mnist_table(results: list[Accuracy]) -> str:
    rows = [
        [r.name, f"{r.published:.3f}", spread(r.default), spread(r.tuned), r.chosen]
        for r in results
    ]
    return table(["learner", "SOL", "ours, defaults", "ours, tuned", "chosen"], rows)


def text(
    parts: dict[str, tuple[int, list[Result]]], chances: list[list[Any]], digits: list[Accuracy]
) -> str:
    sections = [
        "## LIBOL's mistake rates and SOL's digits",
        "`python -m benchmarks.experiments.libol`",
        "Share of mistakes made online (predict, then learn), mean ± standard deviation over "
        "random permutations, no intercept. The figures of LIBOL and SOL were handed to us with "
        "the task; we have not looked them up in the papers. Ours: with LIBOL's default "
        "parameters, and tuned as it tunes, by the fewest mistakes on one further permutation (C, "
        "r, and OGD's eta in 2^-4 ... 2^4, the eta of CW and SCW in .55 ... .95). CW, AROW and SCW "
        'have `covariance="full"`; OGD is `SGDClassifier(loss="hinge", schedule="sqrt")`.',
    ]
    for name, (permutations, results) in parts.items():
        sections += [f"### {name}, {permutations} permutations", rates_table(results)]
    head = ["data", "learner", "tunings", "in the table above", "best", "median", "worst"]
    sections += [
        "### How much of a tuned SCW is luck",
        table(head, chances),
        "The mean rate of the setting that was chosen, when the choice is made on other "
        "permutations (on ijcnn1 the rates are over 5 permutations). One permutation is too noisy "
        "to choose among 81 settings: read SCW's tuned figures with this spread in mind.",
        "### MNIST, test accuracy after one pass",
        mnist_table(digits),
        "Mean ± standard deviation over permutations of the training images "
        f"({len(digits[0].default)} of them), pixels divided by 255, with intercept; tuned on a "
        "sixth of one further permutation. AROW is diagonal here. OGD learns each digit against "
        "the rest. How SOL ordered, scaled and tuned we do not know.",
        "This is our third set-up, and the first two had been seen on the test images: images in "
        "the order of the file with OGD at a constant rate (PA-I .868, tuned .905; AROW .905, "
        ".915; OGD .863, .897), then OGD with falling rates and wider grids (AROW .905, .915; OGD "
        ".903, .902). So the figures of AROW and OGD are a little flattering.",
    ]
    return "\n\n".join(sections)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments.libol")
    parser.add_argument("--permutations", type=int, default=20, metavar="N")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR")
    options = parser.parse_args()
    start = time.perf_counter()
    parts, chances = {}, []
    for name, tunings, some in (("svmguide3", 10, 20), ("ijcnn1", 5, 5)):
        X, y = read(options.data, name)
        results = compare(name, X, y, options.permutations)
        chances += luck(name, X, y, tunings, min(some, options.permutations))
        parts[name] = (options.permutations, results)
        print(f"{name}, {time.perf_counter() - start:.0f} s\n{rates_table(results)}", flush=True)
    digits = mnist(*read_mnist(options.data), min(options.permutations, 5))
    print(f"MNIST, {time.perf_counter() - start:.0f} s\n{mnist_table(digits)}")
    write_part("libol", text(parts, chances, digits))


if __name__ == "__main__":
    main()
