"""Many labels: experiment 3 of Behuet's lecture; PA, perceptrons and MIRA."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernel import RBF, KernelMIRA, KernelPA, KernelPerceptron
from ...linear import MIRA, ExactMulticlassPA, MulticlassPerceptron, PAClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Is PA-I as good as MIRA, and simpler, with many labels?"
LABELS = range(10)
FEATURES, CLASS_NOISE = 30, (1.1, 2.0)
MARGIN = {"perceptron": 0.0, "MIRA": 0.0}  # a larger margin causes no update; others: 1
Make = Callable[[Any], Any]  # of a kernel; None: linear
Floats = NDArray[np.float64]


def pa(variant: Any, C: float = 1.0) -> Make:
    """A passive-aggressive learner."""

    def make(kernel: Any) -> Any:
        if kernel is None:
            return PAClassifier(variant=variant, C=C, intercept=False, labels=LABELS)
        return KernelPA(kernel=kernel, variant=variant, C=C, labels=LABELS)

    return make


def perceptron(update: Any) -> Make:
    """One of the three perceptrons of Crammer and Singer."""

    def make(kernel: Any) -> Any:
        if kernel is None:
            return MulticlassPerceptron(update=update, intercept=False, labels=LABELS)
        return KernelPerceptron(kernel=kernel, update=update, labels=LABELS)

    return make


def mira(kernel: Any) -> Any:
    """MIRA as its paper has it: margin 0."""
    if kernel is None:
        return MIRA(intercept=False, labels=LABELS)
    return KernelMIRA(kernel=kernel, labels=LABELS)


def exact(kernel: Any) -> Any:
    """All constraints of the multiclass margin at once; MIRA with margin 1 predicts the same."""
    if kernel is None:
        return ExactMulticlassPA(C=1.0, intercept=False, labels=LABELS)
    return KernelMIRA(kernel=kernel, beta=1.0, labels=LABELS)


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


def margins(scores: Floats, y: NDArray[np.int64]) -> Floats:
    """Score of the true label minus the best other one."""
    rows = np.arange(len(y))
    others = scores.copy()
    others[rows, y] = -np.inf
    return np.asarray(scores[rows, y] - others.max(axis=1))


def one_pass(make: Make, kernel: Any, train: Any, test: Any) -> dict[str, Any]:
    """Predict and learn each row of `train`; what came of it there and on `test`."""
    model = make(kernel)
    X, y = train
    start = time.process_time()
    scores = model.predict_learn_many(X, y, output="score")
    seconds = time.process_time() - start
    wrong = scores.argmax(axis=1) != y
    return {
        "wrong": wrong,
        "online": 100 * float(wrong.mean()),
        "test": 100 * float(np.mean(model.predict_many(test[0]) != test[1])),
        "margins": margins(scores, y),
        "seconds": seconds,
    }


def updates_of(learner: str, run: dict[str, Any]) -> int:
    """Rows that changed the learner: those whose margin was too small."""
    return int(np.sum(run["margins"] <= MARGIN.get(learner.split()[0], 1.0)))


def clouds(rng: np.random.Generator, rows: int, noise: float) -> tuple[Any, Any]:
    """Ten Gaussian classes in 30 dimensions, rows of length 1: train, test."""
    means = rng.normal(size=(len(LABELS), FEATURES))
    y = rng.integers(0, len(LABELS), rows + 2000)
    X = means[y] + noise * rng.normal(size=(len(y), FEATURES))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return (X[:rows], y[:rows]), (X[rows:], y[rows:])


def run(lab: Lab) -> Outcome:
    """Online and test error, updates, time of ten learners."""
    rows, repeats = lab.pick(3000, 20_000, 800), lab.pick(5, 10, 2)
    table = Table(
        f"One pass; generated sets: {rows:,} rows, mean of {repeats} sets",
        [
            "data",
            "learner",
            "online error %",
            "deviation",
            "test error %",
            "updates",
            "µs per row",
            "µs per update",
        ],
        formats={
            "online error %": ".2f",
            "deviation": ".2f",
            "test error %": ".2f",
            "µs per row": ".2f",
            "µs per update": ".2f",
        },
    )
    curves: dict[str, dict[str, Floats]] = {}
    tasks: list[tuple[str, Any, list[Any]]] = [
        (
            f"Gaussians, noise {noise:g}",
            None,
            [clouds(lab.rng(i, round(10 * noise)), rows, noise) for i in range(repeats)],
        )
        for noise in CLASS_NOISE
    ]
    for loaded in lab.sets(lab.pick(("usps",), ("usps", "mnist"), ("usps",))):
        X = loaded.X / np.maximum(np.linalg.norm(loaded.X, axis=1, keepdims=True), 1e-12)
        y, cut = loaded.y.astype(np.int64), loaded.train or len(loaded.y) * 3 // 4
        parts = (X[:cut], y[:cut]), (X[cut:], y[cut:])
        tasks.append((f"{loaded.name}, linear", None, [parts]))
        some = min(cut, lab.pick(4000, 10_000, 500))
        tasks.append((f"{loaded.name}, RBF 4", RBF(gamma=4.0), [((X[:some], y[:some]), parts[1])]))
    steps = [(task, learner) for task in tasks for learner in LEARNERS]
    for (name, kernel, sets), learner in lab.each(steps, lambda s: f"{s[0][0]}, {s[1]}"):
        runs = [one_pass(LEARNERS[learner], kernel, *parts) for parts in sets]
        n = len(sets[0][0][1])
        updates = float(np.mean([updates_of(learner, r) for r in runs]))
        micro = 1e6 * float(np.mean([r["seconds"] for r in runs]))
        online = [r["online"] for r in runs]
        wrong = np.mean([r["wrong"] for r in runs], axis=0)
        curves.setdefault(name, {})[learner] = 100 * np.cumsum(wrong) / np.arange(1, n + 1)
        table.add(
            name,
            learner,
            float(np.mean(online)),
            float(np.std(online)) if len(runs) > 1 else None,
            float(np.mean([r["test"] for r in runs])),
            round(updates),
            micro / n,
            micro / max(updates, 1.0),
        )
    return Outcome(
        [table],
        drawn(curves),
        {
            "generated data": f"10 classes, means N(0, I) in {FEATURES} dimensions, noise of "
            "deviation "
            "1.1 or 2, rows of length 1; 2,000 further rows to test",
            "real data (--data)": "USPS, with --full MNIST, rows of length 1, official split",
            "learners": "no intercept; " + ", ".join(LEARNERS),
            "µs": "CPU time of predicting and learning, per row and per row that changed the "
            "learner",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""
    sets = list(dict.fromkeys(table.column("data")))

    def of(column: str, learner: str) -> list[float]:
        return [float(table.value(column, data=name, learner=learner)) for name in sets]

    def words(*learners: str) -> str:
        return "; ".join(
            f"{name}: "
            + ", ".join(
                f"{learner} {table.value('online error %', data=name, learner=learner):.1f} %"
                for learner in learners
            )
            for name in sets
        )

    pas = [
        min(p)
        for p in zip(
            *(of("online error %", n) for n in LEARNERS if n.startswith("PA-")), strict=True
        )
    ]
    perceptrons = [
        min(p)
        for p in zip(
            *(of("online error %", n) for n in LEARNERS if n.startswith("perc")), strict=True
        )
    ]
    pai, plain, whole = (
        of("online error %", n) for n in ("PA-I, C=1", "MIRA", "ExactMulticlassPA")
    )
    quick, slow = of("µs per update", "PA-I, C=1"), of("µs per update", "ExactMulticlassPA")
    return [
        Finding(
            "PA beats the multiclass perceptrons",
            "best PA-I or PA-II against best perceptron: "
            + ", ".join(
                f"{a:.1f} % against {b:.1f} %" for a, b in zip(pas, perceptrons, strict=True)
            ),
            all(a < b for a, b in zip(pas, perceptrons, strict=True)),
        ),
        Finding(
            "PA-I and MIRA are comparable, MIRA as its paper has it",
            words("PA-I, C=1", "MIRA"),
            all(m < 1.1 * p + 0.5 for p, m in zip(pai, plain, strict=True)),
        ),
        Finding(
            "PA-I and MIRA are comparable, MIRA with a margin (ExactMulticlassPA)",
            words("PA-I, C=1", "ExactMulticlassPA"),
            all(m < 1.1 * p + 0.5 for p, m in zip(pai, whole, strict=True)),
        ),
        Finding(
            "An update of PA is simpler, that of MIRA an optimisation problem",
            "µs per update, PA-I against ExactMulticlassPA: "
            + ", ".join(f"{a:.1f} against {b:.1f}" for a, b in zip(quick, slow, strict=True)),
            None,
        ),
    ]


def drawn(curves: dict[str, dict[str, Floats]]) -> Any:
    """Error so far, one panel per set."""
    page, panels = figure(len(curves))
    for panel, (name, lines) in zip(panels[0], curves.items(), strict=True):
        for i, (learner, error) in enumerate(lines.items()):
            at = np.unique(np.geomspace(50, len(error), 150).astype(int))
            style = "-" if learner.startswith("PA") else ":" if learner.startswith("perc") else "--"
            panel.plot(at, error[at - 1], style, color=COLOURS[i], label=learner, linewidth=1.8)
        finish(panel, name, "examples", "online error so far, %", logx=True, logy=True)
        ticks = [
            t for t in (2, 3, 5, 10, 20, 30, 50, 80) if min(map(min, lines.values())) * 0.8 <= t
        ]
        panel.set_yticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
    key(page, panels[0][0], columns=5)
    return page
