"""Are linear learners more robust to drift? The page docs/robustness.md.

    python -m benchmarks.experiments.robustness [--data DIR]

Embedded data and generators; with --data also the real data sets of that folder. Writes the tables
between the marks of the page, and the picture beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from onstream.bayes import GaussianNB
from onstream.datasets import noaa_weather
from onstream.features import StandardScaler
from onstream.linear import LogisticRegression, PAClassifier, Perceptron
from onstream.neighbors import KNNADWINClassifier, KNNClassifier
from onstream.streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF, Sine
from onstream.tree import HAT, VFDT

from .folder import asked_for, loader
from .page import ROOT, table, write_part, write_picture

PAGE = ROOT / "docs" / "robustness.md"
PICTURE = ROOT / "docs" / "pictures" / "robustness.png"
AT, AFTER = 10_000, 5_000  # rows before the change, rows that are looked at after it
BEFORE = slice(AT - 5000, AT - 3000)  # long enough before it, also where it is gradual
WINDOW = 500
YEARS = 4 * 365 + 1  # the window over days: rain has its seasons
RUNS = 5

LEARNERS: dict[str, tuple[str, str, Callable[[], Any]]] = {  # name: kind, colour, how to make it
    "Perceptron": ("linear", "#8ecae6", lambda: StandardScaler() | Perceptron()),
    "PA-I, C=0.1": ("linear", "#219ebc", lambda: StandardScaler() | PAClassifier(C=0.1)),
    "logistic regression": ("linear", "#023e8a", lambda: StandardScaler() | LogisticRegression()),
    "GaussianNB": ("naive Bayes", "#f4a259", GaussianNB),
    "kNN, window 1000": ("neighbours", "#8cb369", KNNClassifier),
    "kNN-ADWIN": ("neighbours", "#386641", KNNADWINClassifier),
    "VFDT": ("tree", "#d62828", VFDT),
    "HAT": ("tree", "#9d4edd", HAT),
}
CHANGES: dict[str, Callable[[int], tuple[Any, Any, int]]] = {  # before, after, width
    "SEA 1 to 3, at once": lambda s: (SEA(1, seed=s), SEA(3, seed=s + 50), 0),
    "Sine 1 to 2, at once": lambda s: (Sine(1, seed=s), Sine(2, seed=s + 50), 0),
    "Sine 3 to 4, at once": lambda s: (Sine(3, seed=s), Sine(4, seed=s + 50), 0),
    "Hyperplane, another one, at once": lambda s: (Hyperplane(seed=s), Hyperplane(seed=s + 50), 0),
    "Agrawal 1 to 3, at once": lambda s: (Agrawal(1, seed=s), Agrawal(3, seed=s + 50), 0),
    "RandomRBF, others, at once": lambda s: (RandomRBF(seed=s), RandomRBF(seed=s + 50), 0),
    "Sine 1 to 2, over 2,000": lambda s: (Sine(1, seed=s), Sine(2, seed=s + 50), 2000),
    "Agrawal 1 to 3, over 2,000": lambda s: (Agrawal(1, seed=s), Agrawal(3, seed=s + 50), 2000),
}
MOVING: dict[str, Callable[[int], Any]] = {
    "Hyperplane, still": lambda s: Hyperplane(seed=s),
    "Hyperplane, turning": lambda s: Hyperplane(n_drift=10, mag=0.01, seed=s),
    "RandomRBF, still": lambda s: RandomRBF(seed=s),
    "RandomRBF, moving": lambda s: RandomRBF(speed=0.001, seed=s),
}
PICTURED = ("SEA 1 to 3, at once", "Sine 3 to 4, at once", "Agrawal 1 to 3, over 2,000")

Rows = tuple[np.ndarray, np.ndarray]


def rows(stream: Any, n: int) -> Rows:
    X, y = next(iter(stream.batches(n)))
    return np.asarray(X, dtype=float), np.asarray(y)


def changed(name: str, seed: int) -> Rows:
    before, after, width = CHANGES[name](seed)
    return rows(Drift(before, after, at=AT, width=width), AT + AFTER)


def hits(make: Callable[[], Any], X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which rows were right, each predicted before it was learned."""
    return np.asarray(make().predict_learn_many(X, y) == y, dtype=float)


# -- generated changes ------------------------------------------------------------


def remembered(name: str) -> dict[str, tuple[float, float, float]]:
    """Of each learner: accuracy before the change, after it, and after it if started anew there."""
    found: dict[str, list[Any]] = {learner: [] for learner in LEARNERS}
    for seed in range(RUNS):
        X, y = changed(name, seed + 1)
        for learner, (_, _, make) in LEARNERS.items():
            right = hits(make, X, y)
            anew = hits(make, X[AT:], y[AT:])
            found[learner].append((right[BEFORE].mean(), right[AT:].mean(), anew.mean()))
    return {learner: tuple(np.mean(told, axis=0)) for learner, told in found.items()}


def changes_table() -> str:
    """Accuracy after the change, and how much of it the memory of what was before it costs."""
    lines = []
    for name in CHANGES:
        told = remembered(name)
        cells = [
            f"{before:.1%} → {after:.1%} ({after - anew:+.1%})"
            for before, after, anew in told.values()
        ]
        lines.append([name, *cells])
    return table(["change", *LEARNERS], lines)


def moving_table() -> str:
    lines = []
    for name, make_stream in MOVING.items():
        told: dict[str, list[float]] = {learner: [] for learner in LEARNERS}
        for seed in range(RUNS):
            X, y = rows(make_stream(seed + 1), AT + AFTER)
            for learner, (_, _, make) in LEARNERS.items():
                told[learner].append(hits(make, X, y).mean())
        lines.append([name, *(f"{np.mean(v):.1%}" for v in told.values())])
    return table(["stream", *LEARNERS], lines)


# -- real data ------------------------------------------------------------


def real_table(streams: Iterator[tuple[str, np.ndarray, np.ndarray]]) -> str:
    """Going on learning; and frozen after the first fifth, in order and shuffled."""
    lines = []
    for name, X, y in streams:
        cut = len(y) // 5
        order = np.random.default_rng(0).permutation(len(y))
        going, frozen = [], []
        for _, _, make in LEARNERS.values():
            going.append(f"{hits(make, X, y)[cut:].mean():.1%}")
            kept = []
            for some in (np.arange(len(y)), order):
                model = make()
                model.learn_many(X[some[:cut]], y[some[:cut]])
                kept.append((model.predict_many(X[some[cut:]]) == y[some[cut:]]).mean())
            frozen.append(f"{kept[0]:.1%} ({kept[0] - kept[1]:+.1%})")
        lines.append([f"{name}, learning on", *going])
        lines.append([f"{name}, frozen", *frozen])
    return table(["stream", *LEARNERS], lines)


def weather() -> tuple[str, np.ndarray, np.ndarray]:
    X, y = noaa_weather()
    return "noaa_weather", np.asarray(X, dtype=float), np.asarray(y)


def from_folder(folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    load = loader(folder)
    for name in ("electricity", "gas_drift", "powersupply", "luxembourg", "usenet2"):
        X, y = load(name)
        yield name, X.to_numpy(dtype=float), np.asarray(y)


# -- picture ------------------------------------------------------------


def curve(right: np.ndarray, window: int) -> np.ndarray:
    """Accuracy over the latest rows."""
    sums = np.concatenate([[0.0], np.cumsum(right)])
    return (sums[window:] - sums[:-window]) / window


def picture() -> None:
    from matplotlib.figure import Figure

    page = Figure(figsize=(13, 9), dpi=110, layout="constrained")
    panels = page.subplots(2, 2).ravel()
    for panel, name in zip(panels, (*PICTURED, "noaa_weather"), strict=True):
        days = name == "noaa_weather"
        X, y = weather()[1:] if days else changed(name, 1)
        window = YEARS if days else WINDOW
        for learner, (_, colour, make) in LEARNERS.items():
            path = 100.0 * curve(hits(make, X, y), window)
            step = max(1, len(path) // 400)
            at = np.arange(window, len(y) + 1)[::step]
            panel.plot(at, path[::step], color=colour, label=learner)
        if not days:
            panel.axvline(AT, color="black", linestyle=":")
            panel.set_xlim(AT - 3000, AT + AFTER)
        panel.set_title(name)
        panel.set_xlabel("rows")
        panel.set_ylabel(f"right, % of the latest {window:,}")
    handles, names = panels[0].get_legend_handles_labels()
    page.legend(handles, names, loc="outside lower center", ncols=4)
    write_picture(page, PICTURE)


def main() -> None:
    folder = asked_for(__doc__)
    parts = {
        "changes": changes_table,
        "moving": moving_table,
        "weather": lambda: real_table(iter([weather()])),
    }
    if folder:
        parts["data sets"] = lambda: real_table(from_folder(folder))
    for name, make in parts.items():
        text = make()
        print(text, flush=True)
        write_part(name, text, PAGE)
    picture()


if __name__ == "__main__":
    main()
