"""Online CASH: searching always, once, or again after a drift; and what a warm start gains."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import GaussianNB
from ...datasets import noaa_weather
from ...features import StandardScaler
from ...linear import LogisticRegression, PAClassifier
from ...neighbors import KNNClassifier
from ...select import EvolvingClassifier, LogRange, Vary
from ...streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF, Sine
from ...tree import HoeffdingTreeClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import Floats, rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Does it pay to go on searching for a learner while the stream goes on?"
Make = Callable[[], Any]
POPULATION, INTERVAL, BLOCK, FIRST, EPOCHS = 8, 500, 2000, 1000, 5

SPACE: list[Any] = [
    Vary(
        StandardScaler() | PAClassifier(C=0.1), C=LogRange(0.001, 10.0), variant=["PA-I", "PA-II"]
    ),
    Vary(StandardScaler() | LogisticRegression(), eta=LogRange(0.01, 1.0)),
    Vary(KNNClassifier(), k=[1, 5, 15], window=LogRange(50, 2000)),
    Vary(HoeffdingTreeClassifier(), grace_period=[50, 200], delta=LogRange(1e-7, 0.1)),
    GaussianNB(),
]
SEARCHES: dict[str, dict[str, Any]] = {
    "once": {"search": "once"},
    "again after drift": {"search": "again"},
    "bandit": {"search": "bandit"},
    "halving": {"search": "halving"},
    "random": {"search": "random", "vote": "majority"},
    "evolution": {"search": "evolution", "vote": "majority"},
    "evolution, Poisson(6)": {"search": "evolution", "vote": "majority", "lam": 6.0},
    "nobody replaced": {"interval": None, "vote": "mixed"},
    "evolution, mixed": {"search": "evolution", "vote": "mixed"},
    "random, mixed": {"search": "random", "vote": "mixed"},
}
STREAMS: dict[str, Callable[[int], Any]] = {
    "SEA 1 to 3": lambda s: Drift(SEA(1, seed=s), SEA(3, seed=s + 50), at=5000),
    "Sine 1 to 2": lambda s: Drift(Sine(1, seed=s), Sine(2, seed=s + 50), at=5000),
    "Agrawal 1 to 3": lambda s: Drift(Agrawal(1, seed=s), Agrawal(3, seed=s + 50), at=5000),
    "Hyperplane, turning": lambda s: Hyperplane(n_drift=10, mag=0.01, seed=s),
    "RandomRBF, moving": lambda s: RandomRBF(speed=0.001, seed=s),
}
REAL = ("electricity", "gas_drift", "outdoor", "luxembourg")
WARM: dict[str, Make] = {
    "logistic regression": lambda: StandardScaler() | LogisticRegression(),
    "PA-I, C=0.1": lambda: StandardScaler() | PAClassifier(C=0.1),
    "Hoeffding tree": lambda: HoeffdingTreeClassifier(grace_period=50),
    "EvolvingClassifier": lambda: EvolvingClassifier(
        space=SPACE, population=POPULATION, interval=INTERVAL
    ),
}
BEGINNINGS: dict[str, Callable[[int], Any]] = {
    "SEA 1": lambda s: SEA(1, seed=s),
    "Agrawal 1": lambda s: Agrawal(1, seed=s),
    "RandomRBF": lambda s: RandomRBF(seed=s),
    "Sine 1, but then Sine 2": lambda s: Drift(Sine(1, seed=s), Sine(2, seed=s), at=BLOCK),
}


def accuracy(make: Make, X: Any, y: NDArray[Any]) -> Floats:
    """Which rows were right, each predicted before it was learned."""
    return np.asarray(make().predict_learn_many(X, y) == y, dtype=float)


def run(lab: Lab) -> Outcome:
    """Searches over drifting streams; then cold and warm starts."""
    rows, runs = lab.pick(10_000, 10_000, 1200), lab.pick(2, 5, 1)
    percent = dict.fromkeys([*SEARCHES, "best alone"], ".1f")
    table = Table(
        f"Accuracy in %, test-then-train, mean of {runs} runs; a population of {POPULATION}, "
        f"a turn every {INTERVAL} examples",
        ["stream", *SEARCHES, "best alone"],
        formats=percent,
    )
    streams: list[tuple[str, Any]] = list(lab.pick(STREAMS, STREAMS, few(STREAMS)).items())
    X, y = noaa_weather()
    most = lab.pick(len(y), len(y), 1200)
    fixed = [("noaa_weather", np.asarray(X, dtype=float)[:most], np.asarray(y)[:most])]
    fixed += [(s.name, s.X[:50_000], s.y[:50_000]) for s in lab.sets(REAL)]
    steps = [(name, what) for name, _ in streams for what in percent]
    steps += [(name, what) for name, *_ in fixed for what in percent]
    data: dict[str, list[tuple[Any, NDArray[Any]]]] = {
        name: [rows_of(make(lab.seed + i + 1), rows) for i in range(runs)] for name, make in streams
    }
    data |= {name: [(X, y)] for name, X, y in fixed}
    found: dict[str, dict[str, float]] = {}
    paths: dict[str, dict[str, Floats]] = {}
    for name, what in lab.each(steps, lambda s: f"{s[0]}, {s[1]}"):
        hits = [tried(what, X, y, seed=lab.seed + i) for i, (X, y) in enumerate(data[name])]
        found.setdefault(name, {})[what] = 100 * float(np.mean([right.mean() for right in hits]))
        paths.setdefault(name, {})[what] = hits[0]
    for name, row in found.items():
        table.add(name, *row.values())
    warm = warm_starts(lab)
    return Outcome(
        [table, warm],
        drawn(paths),
        {
            "rows": f"{rows:,} of each generated stream, its change at 5,000",
            "runs": runs,
            "population": POPULATION,
            "interval": INTERVAL,
            "space": "PA behind a scaler (C 0.001 to 10, PA-I or PA-II), logistic regression "
            "behind a scaler (eta 0.01 to 1), kNN (k 1, 5, 15; window 50 to 2,000), Hoeffding tree "
            "(grace period 50 or 200; delta 1e-7 to 0.1), GaussianNB",
            "best alone": "of the five alternatives as written, the best in hindsight",
            "static block": f"{BLOCK:,} rows, {EPOCHS} epochs, shuffled",
            "seed": lab.seed,
        },
        findings(table, warm),
        lab.gaps(),
    )


def few(streams: dict[str, Any]) -> dict[str, Any]:
    """The first two."""
    return dict(list(streams.items())[:2])


def tried(what: str, X: Any, y: NDArray[Any], seed: int) -> Floats:
    """Which rows one search had right, or the best of all alternatives alone."""
    if what in SEARCHES:
        options = {"population": POPULATION, "interval": INTERVAL, **SEARCHES[what]}
        return accuracy(lambda: EvolvingClassifier(space=SPACE, seed=seed, **options), X, y)
    alone = [
        accuracy(lambda i=i: EvolvingClassifier(space=SPACE[i], population=1), X, y)  # type: ignore[misc]
        for i in range(len(SPACE))
    ]
    return max(alone, key=lambda right: float(right.mean()))


def warm_starts(lab: Lab) -> Table:
    """The first examples of a stream, begun cold or after epochs over a static block."""
    runs = lab.pick(5, 20, 1)
    table = Table(
        f"Accuracy in % on the first {FIRST:,} examples of a stream, cold and after {EPOCHS} "
        f"epochs over {BLOCK:,} rows that came before; mean of {runs} runs",
        ["stream", "learner", "cold", "warm", "gain"],
        name="warm",
        formats={"cold": ".1f", "warm": ".1f", "gain": "+.1f"},
    )
    names = lab.pick(list(BEGINNINGS), list(BEGINNINGS), list(BEGINNINGS)[:1])
    steps = [(name, learner) for name in names for learner in WARM]
    for name, learner in lab.each(steps, lambda s: f"warm start: {s[0]}, {s[1]}"):
        gains = []
        for i in range(runs):
            X, y = rows_of(BEGINNINGS[name](lab.seed + i + 1), BLOCK + FIRST)
            warm = WARM[learner]().fit(X[:BLOCK], y[:BLOCK], epochs=EPOCHS, seed=i)
            warm.reset_schedule()
            X, y = X[BLOCK:], y[BLOCK:]
            gains.append(
                (
                    accuracy(WARM[learner], X, y).mean(),
                    (warm.predict_learn_many(X, y) == y).mean(),
                )
            )
        cold, warmed = 100 * np.mean(gains, axis=0)
        table.add(name, learner, float(cold), float(warmed), float(warmed - cold))
    return table


def findings(table: Table, warm: Table) -> list[Finding]:
    """What the lecture said, and what the tables say."""
    mean = {name: float(np.mean(table.column(name))) for name in table.columns[1:]}

    def said(*names: str) -> str:
        return "mean of all streams: " + ", ".join(f"{name} {mean[name]:.1f} %" for name in names)

    gains = [
        float(warm.value("gain", stream=s, learner=n))
        for s, n in zip(warm.column("stream"), warm.column("learner"), strict=True)
        if "but then" not in s
    ]
    wrong = [
        f"{n} {float(g):+.1f}"
        for s, n, g in zip(
            warm.column("stream"), warm.column("learner"), warm.column("gain"), strict=True
        )
        if "but then" in s
    ]
    return [
        Finding(
            "Searching on the first portion only is not enough: evolution is better",
            said("once", "evolution"),
            mean["evolution"] > mean["once"] + 0.5,
        ),
        Finding(
            "Evolution is better than searching again from scratch after each drift",
            said("again after drift", "evolution"),
            mean["evolution"] > mean["again after drift"] + 0.5,
        ),
        Finding(
            "Evolution is better than random search with the same population",
            said("random", "evolution", "random, mixed", "evolution, mixed"),
            mean["evolution"] > mean["random"] + 0.5,
        ),
        Finding(
            "It is at least as good as the best single algorithm (within 0.3 points)",
            said("best alone", "evolution", "evolution, mixed"),
            mean["evolution, mixed"] > mean["best alone"] - 0.3,
        ),
        Finding(
            "Pre-training mitigates the poor beginning (no gain below -0.5, their mean above 1)",
            f"gain on the first {FIRST:,}: {min(gains):+.1f} to {max(gains):+.1f} points"
            + (f"; where the concept has changed meanwhile: {', '.join(wrong)}" if wrong else ""),
            min(gains) > -0.5 and float(np.mean(gains)) > 1.0,
        ),
    ]


def drawn(paths: dict[str, dict[str, Floats]]) -> Any:
    """Accuracy over the latest 500 rows, on the first four streams."""
    page, panels = figure(2, 2, width=5.4, height=3.2)
    shown = ("once", "again after drift", "bandit", "random", "evolution", "evolution, mixed")
    flat = panels.ravel()
    for panel, (name, lines) in zip(flat, paths.items(), strict=False):
        for colour, what in zip(COLOURS, shown, strict=False):
            right = lines[what]
            window = min(500, len(right) // 2)
            sums = np.concatenate([[0.0], np.cumsum(right)])
            path = 100.0 * (sums[window:] - sums[:-window]) / window
            step = max(1, len(path) // 300)
            at = np.arange(window, len(right) + 1)[::step]
            panel.plot(at, path[::step], color=colour, label=what, linewidth=1.1)
        finish(panel, name, "rows", "right, % of the latest 500")
    key(page, flat[0], columns=3)
    return page
