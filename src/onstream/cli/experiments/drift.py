"""Drift: are linear learners more robust (Davis); SGD without a detector, kNN-ADWIN (Carta)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import GaussianNB
from ...datasets import noaa_weather
from ...features import StandardScaler
from ...linear import LogisticRegression, PAClassifier, Perceptron
from ...neighbors import KNNADWINClassifier, KNNClassifier
from ...streams import SEA, Agrawal, Drift, Hyperplane, RandomRBF, Sine
from ...tree import HAT, VFDT
from ..lab.drawing import figure, finish, key
from ..lab.generated import Floats, rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Which learners get over a drift?"
BEFORE = slice(-5000, -3000)  # rows before the change, long enough before a gradual one
YEARS = 4 * 365 + 1  # the window over days: rain has its seasons
Make = Callable[[], Any]

LEARNERS: dict[str, tuple[str, Make]] = {  # name: colour, how to make it
    "Perceptron": ("#8ecae6", lambda: StandardScaler() | Perceptron()),
    "PA-I, C=0.1": ("#219ebc", lambda: StandardScaler() | PAClassifier(C=0.1)),
    "logistic regression": ("#023e8a", lambda: StandardScaler() | LogisticRegression()),
    "GaussianNB": ("#f4a259", GaussianNB),
    "kNN, window 1000": ("#8cb369", KNNClassifier),
    "kNN-ADWIN": ("#386641", KNNADWINClassifier),
    "VFDT": ("#d62828", VFDT),
    "HAT": ("#9d4edd", HAT),
}
STEPPING = ("Perceptron", "PA-I, C=0.1", "logistic regression")
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


def hits(make: Make, X: Any, y: Any) -> Floats:
    """Which rows were right, each predicted before it was learned."""
    return np.asarray(make().predict_learn_many(X, y) == y, dtype=float)


def run(lab: Lab) -> Outcome:
    """Accuracy before and after known changes, and on streams that never stand still."""
    at, after, runs = lab.pick(10_000, 10_000, 5200), lab.pick(5000, 5000, 800), lab.pick(1, 5, 1)
    percent = dict.fromkeys(LEARNERS, ".1f")
    table = Table(
        f"Accuracy in % before and after a change at row {at:,}, and what the past was worth: "
        "after, less "
        f"the same learner started anew at the change; mean of {runs} runs",
        ["change", "figure", *LEARNERS],
        formats=percent,
    )
    names = lab.pick(list(CHANGES), list(CHANGES), list(PICTURED))
    paths: dict[str, dict[str, Floats]] = {}
    steps = [(name, learner) for name in names for learner in LEARNERS]
    found: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    data: dict[tuple[str, int], tuple[Floats, NDArray[Any]]] = {}
    for name, learner in lab.each(steps, lambda s: f"{s[0]}, {s[1]}"):
        make = LEARNERS[learner][1]
        for i in range(runs):
            if (name, i) not in data:
                before, later, width = CHANGES[name](lab.seed + i + 1)
                data[name, i] = rows_of(Drift(before, later, at=at, width=width), at + after)
            X, y = data[name, i]
            right, anew = hits(make, X, y), hits(make, X[at:], y[at:])
            told = right[:at][BEFORE].mean(), right[at:].mean(), anew.mean()
            found.setdefault(name, {}).setdefault(learner, []).append(told)
            if not i and name in PICTURED:
                paths.setdefault(name, {})[learner] = right
    for name in names:
        means = {learner: np.mean(told, axis=0) for learner, told in found[name].items()}
        table.add(name, "before", *(100 * float(m[0]) for m in means.values()))
        table.add(name, "after", *(100 * float(m[1]) for m in means.values()))
        table.add(name, "worth", *(100 * float(m[1] - m[2]) for m in means.values()))
    moving = Table(
        "Accuracy in % on streams that never stand still, and the same standing still",
        ["stream", *LEARNERS],
        name="moving",
        formats=percent,
    )
    for name, stream in lab.each(
        lab.pick(list(MOVING.items()), list(MOVING.items()), []), lambda s: s[0]
    ):
        X, y = rows_of(stream(lab.seed + 1), at + after)
        moving.add(name, *(100 * float(hits(make, X, y).mean()) for _, make in LEARNERS.values()))
    real = Table(
        "Real streams: accuracy in % after the first fifth, learning on, and frozen there; in "
        "brackets in random order",
        ["stream", *LEARNERS],
        name="real",
    )
    for name, X, y in lab.each(list(real_sets(lab)), lambda s: s[0]):
        rights = {learner: hits(make, X, y) for learner, (_, make) in LEARNERS.items()}
        if name == "noaa_weather":
            paths[name] = rights
        cut = len(y) // 5
        real.add(
            f"{name}, learning on",
            *(f"{100 * right[cut:].mean():.1f}" for right in rights.values()),
        )
        real.add(
            f"{name}, frozen", *(frozen(lab, make, X, y, cut) for _, make in LEARNERS.values())
        )
    return Outcome(
        [table, *([moving] if moving.rows else []), real],
        drawn(paths, at),
        {
            "rows": f"{at:,} before the change, {after:,} after it",
            "runs": runs,
            "before": "accuracy over rows -5,000 to -3,000 from the change",
            "learners": "defaults; PA-I C=0.1; linear learners behind a StandardScaler; kNN "
            "k=5, window 1,000",
            "window of the curves": "500 rows, of the weather four years",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def real_sets(lab: Lab) -> Iterator[tuple[str, Floats, NDArray[Any]]]:
    """The embedded weather, then real streams."""
    X, y = noaa_weather()
    n = lab.pick(len(y), len(y), 3000)
    yield "noaa_weather", np.asarray(X, dtype=float)[:n], np.asarray(y)[:n]
    for loaded in lab.sets(("electricity", "gas_drift", "powersupply", "luxembourg", "usenet2")):
        yield loaded.name, loaded.X, loaded.y


def frozen(lab: Lab, make: Make, X: Floats, y: NDArray[Any], cut: int) -> str:
    """Accuracy after learning the first fifth only; in brackets in random order, without drift."""
    found = []
    for order in (np.arange(len(y)), lab.rng().permutation(len(y))):
        model = make()
        model.learn_many(X[order[:cut]], y[order[:cut]])
        found.append(100 * float((model.predict_many(X[order[cut:]]) == y[order[cut:]]).mean()))
    return f"{found[0]:.1f} ({found[1]:.1f})"


def findings(table: Table) -> list[Finding]:
    """What the lectures said, and what the table says."""
    changes = list(dict.fromkeys(table.column("change")))

    def worth(learner: str) -> list[float]:
        return [float(table.value(learner, change=c, figure="worth")) for c in changes]

    def span(learner: str) -> str:
        return f"{learner} {min(worth(learner)):+.1f} to {max(worth(learner)):+.1f}"

    worst = min(min(worth(n)) for n in STEPPING)
    one = next(c for c in changes if c.startswith("Sine 3"))
    after = {n: float(table.value(n, change=one, figure="after")) for n in LEARNERS}
    return [
        Finding(
            "SGD adapts quickly without a drift detector (and so do perceptron and PA)",
            "what the past was worth, in points: " + "; ".join(map(span, STEPPING)),
            worst > -6.0,
        ),
        Finding(
            "Linear classifiers are more robust to drift: those that take steps, against VFDT",
            f"worst of theirs {worst:+.1f}, {span('VFDT')}",
            worst > min(worth("VFDT")),
        ),
        Finding(
            "Linear classifiers are more robust to drift: naive Bayes, against VFDT",
            f"{span('GaussianNB')}; {span('VFDT')}",
            min(worth("GaussianNB")) > min(worth("VFDT")),
        ),
        Finding(
            "A fixed window holds the old concept; ADWIN sets its size (kNN-ADWIN)",
            f"{one}, after: kNN {after['kNN, window 1000']:.1f} %, kNN-ADWIN "
            f"{after['kNN-ADWIN']:.1f} %; {span('kNN, window 1000')}; {span('kNN-ADWIN')}",
            after["kNN-ADWIN"] > after["kNN, window 1000"] + 1.0,
        ),
        Finding(
            "HAT replaces what a change made wrong, VFDT does not",
            f"{one}, after: VFDT {after['VFDT']:.1f} %, HAT {after['HAT']:.1f} %",
            after["HAT"] > after["VFDT"] + 5.0,
        ),
    ]


def drawn(paths: dict[str, dict[str, Floats]], at: int) -> Any:
    """Accuracy over the latest rows around three changes, and over fifty years."""
    page, panels = figure(2, 2, width=5.4, height=3.2)
    flat = panels.ravel()
    for panel, (name, lines) in zip(flat, paths.items(), strict=False):
        days = name == "noaa_weather"
        for learner, right in lines.items():
            window = min(YEARS if days else 500, len(right) // 2)
            sums = np.concatenate([[0.0], np.cumsum(right)])
            path = 100.0 * (sums[window:] - sums[:-window]) / window
            step = max(1, len(path) // 300)
            panel.plot(
                np.arange(window, len(right) + 1)[::step],
                path[::step],
                color=LEARNERS[learner][0],
                label=learner,
            )
        if not days:
            panel.axvline(at, color="black", linestyle=":")
            panel.set_xlim(at - 3000, len(right))
        finish(panel, name, "days" if days else "rows", f"right, % of the latest {window:,}")
    key(page, flat[0], columns=4)
    return page
