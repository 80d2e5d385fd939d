"""Averaging and step sizes: Rosasco's claims about online and recursive least squares."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...linear import RLS, SGDRegressor
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Does averaging make online least squares as good as recursive least squares?"
FEATURES, NOISE, ETA, POWER, FROM = 10, 0.5, 1.0, 0.6, 1000
Floats = NDArray[np.float64]


def gradient(**options: Any) -> Callable[[], Any]:
    """Online least squares with some step sizes; the loss is ½(y - w·x)²."""
    return lambda: SGDRegressor(eta=ETA, intercept=False, **options)


LEARNERS: dict[str, Callable[[], Any]] = {
    "RLS": lambda: RLS(lam=1e-6, intercept=False),
    "n^-0.6, averaged": gradient(schedule="power", power=POWER, average=True),
    "n^-0.6, averaged from 1,000": gradient(
        schedule="power", power=POWER, average=True, average_from=FROM
    ),
    "n^-0.6": gradient(schedule="power", power=POWER),
    "constant": gradient(),
    "n^-1": gradient(schedule="power", power=1.0),
    "n^-2": gradient(schedule="power", power=2.0),
}


def variances(condition: float) -> Floats:
    """Variances of the features, the largest so many times the smallest; they add up to 1."""
    found = np.geomspace(1.0, 1.0 / condition, FEATURES)
    return np.asarray(found / found.sum())


def course(
    make: Callable[[], Any], X: Floats, y: Floats, at: list[int], scale: Floats, w: Floats
) -> list[float]:
    """Excess risk after so many examples: E(w·x - ŵ·x)², with the true weights w."""
    model, before, found = make(), 0, []
    for stop in at:
        model.learn_many(X[before:stop], y[before:stop])
        before = stop
        learned = model.weights
        off = np.array([learned.get(i, 0.0) for i in range(FEATURES)]) - w
        found.append(float(np.square(off) @ scale))
    return found


def slope(at: list[int], risk: Floats) -> float:
    """How fast it falls in the second half (on a log scale): -1 is 1/n, what RLS can do."""
    half = len(at) // 2
    return float(np.polyfit(np.log(at[half:]), np.log(risk[half:]), 1)[0])


def run(lab: Lab) -> Outcome:
    """Excess risk over time, for features of like and of unlike variance."""
    rows, repeats = lab.pick(100_000, 1_000_000, 3000), lab.pick(15, 20, 3)
    at = np.unique(np.geomspace(20, rows, 25).astype(int)).tolist()
    conditions = {"like": 1.0, "unlike": 100.0}
    curves: dict[str, dict[str, Floats]] = {}
    table = Table(
        f"Excess risk, mean of {repeats} runs",
        [
            "features",
            "step",
            *(f"n = {n:,}" for n in (at[0], at[len(at) // 2], at[-1])),
            "slope",
            "× RLS",
        ],
        formats={"slope": ".2f", "× RLS": ".1f"},
    )
    steps = [(kind, repeat) for kind in conditions for repeat in range(repeats)]
    told: dict[tuple[str, str], list[list[float]]] = {}
    for kind, repeat in lab.each(steps, lambda s: f"{s[0]} variances, run {s[1] + 1}"):
        rng, scale = lab.rng(repeat), variances(conditions[kind])
        w = rng.normal(size=FEATURES)
        X = rng.normal(size=(rows, FEATURES)) * np.sqrt(scale)
        y = X @ w + NOISE * rng.normal(size=rows)
        for name, make in LEARNERS.items():
            told.setdefault((kind, name), []).append(course(make, X, y, at, scale, w))
    for kind in conditions:
        curves[kind] = {name: np.mean(told[kind, name], axis=0) for name in LEARNERS}
        for name, risk in curves[kind].items():
            three = risk[0], risk[len(at) // 2], risk[-1]
            ratio = float(risk[-1] / curves[kind]["RLS"][-1])
            table.add(kind, name, *map(float, three), slope(at, risk), ratio)
    return Outcome(
        [table],
        drawn(at, curves),
        {
            "data": f"{FEATURES} normal features , variances alike or from v down to v/100 "
            f"(unlike), in sum 1, y = w·x + {NOISE} N(0, 1), w ~ N(0, I)",
            "examples": f"{rows:,}",
            "repeats": repeats,
            "first step": f"{ETA:g}: γ_n = n^-α as the slide has it, since E‖x‖² = 1; constant: "
            f"{ETA:g}, too",
            "exponent": POWER,
            "RLS": "λ = 1e-6",
            "seed": lab.seed,
        },
        findings(table),
    )


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""

    def times(step: str, kind: str) -> float:
        return float(table.value("× RLS", features=kind, step=step))

    kinds = ("like", "unlike")
    worst = {kind: times("n^-0.6, averaged", kind) for kind in kinds}
    plain = {kind: times("n^-0.6", kind) for kind in kinds}
    stuck = table.value("slope", features="like", step="n^-2")
    return [
        Finding(
            "If the step decreases too fast, the iterate gets stuck away from the solution",
            f"n^-2: {times('n^-2', 'like'):,.0f} times the excess risk of RLS at the end, slope "
            f"{stuck:.2f}",
            abs(stuck) < 0.1 and times("n^-2", "like") > 100,
        ),
        Finding(
            "Online least squares converges more slowly than RLS",
            f"n^-0.6: {plain['like']:.1f} times its excess risk (like variances), "
            f"{plain['unlike']:.1f} (unlike)",
            min(plain.values()) > 2.0,
        ),
        Finding(
            "Averaged, with steps n^-α, it is almost as good as RLS, variances alike",
            f"{worst['like']:.1f} times the excess risk of RLS at the end",
            worst["like"] < 1.5,
        ),
        Finding(
            "The same where variances differ (condition number 100)",
            f"{worst['unlike']:.1f} times the excess risk of RLS at the end",
            worst["unlike"] < 1.5,
        ),
    ]


def drawn(at: list[int], curves: dict[str, dict[str, Floats]]) -> Any:
    """One panel per kind of features."""
    page, panels = figure(2)
    titles = {"like": "Features of like variance", "unlike": "Variances from v to v/100"}
    for panel, (kind, title) in zip(panels[0], titles.items(), strict=True):
        for i, (name, risk) in enumerate(curves[kind].items()):
            style = "-" if name == "RLS" or "averaged" in name else "--"
            wide = 2.4 if name == "RLS" else 1.6
            panel.plot(at, risk, style, color=COLOURS[i], label=name, linewidth=wide)
        finish(panel, title, "examples", "excess risk", logx=True, logy=True)
    key(page, panels[0][0])
    return page
