"""The aggressiveness C: experiment 2 of Behuet's lecture (Crammer et al. 2006, section 10)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...linear import PAClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import two_gaussians
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "How aggressive should PA-I and PA-II be?"
NOISE, FLIPS = 0.2, 0.02
SETTINGS = tuple(10.0**k for k in range(-4, 3))
VARIANTS = ("PA-I", "PA-II")
SHOWN = (0.001, 100.0)  # of the curves over time

Floats = NDArray[np.float64]


def hinge(margin: Floats) -> Floats:
    """Loss of a margin."""
    return np.maximum(0.0, 1.0 - margin)


def comparators(X: Floats, y: NDArray[np.int64]) -> list[Floats]:
    """Fixed weights u for the bounds, which hold for every u: ridge solutions of several sizes."""
    A = X.T @ X
    w: Any = np.linalg.solve(A + 1e-3 * np.eye(X.shape[1]), X.T @ y)
    return [scale * w for scale in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)]


def slack(variant: str, C: float, X: Floats, y: NDArray[np.int64], scores: Floats) -> float:
    """How much of the loss bound was used, at most 1 if it holds: spec 2.1 (c) and (d)."""
    losses, R2 = hinge(y * scores), float(np.square(X).sum(axis=1).max())
    bounds = []
    for u in comparators(X, y):
        best = hinge(y * (X @ u))
        if variant == "PA-I":
            bounds.append(max(R2, 1.0 / C) * (u @ u + 2.0 * C * best.sum()))
        else:
            bounds.append((R2 + 0.5 / C) * (u @ u + 2.0 * C * np.square(best).sum()))
    used = np.sum(y * scores <= 0.0) if variant == "PA-I" else np.square(losses).sum()
    return float(used / min(bounds))


def run(lab: Lab) -> Outcome:
    """Error rates by C, with and without noise; errors over time; the bounds."""
    rows, repeats = lab.pick(4000, 4000, 2000), lab.pick(10, 50, 2)
    table = Table(
        f"Online error rate, mean of {repeats} runs of {rows:,} examples; share of the bound used",
        [
            "C",
            *VARIANTS,
            *(f"{v} without noise" for v in VARIANTS),
            *(f"bound {v}" for v in VARIANTS),
        ],
        formats={"C": "g"},
    )
    curves: dict[float, list[Floats]] = {C: [] for C in SHOWN}
    for C in lab.each(SETTINGS, lambda C: f"C = {C:g}"):
        errors = np.zeros((2, 2, repeats))
        used = np.zeros((2, repeats))
        for repeat in range(repeats):
            for noisy in (0, 1):
                rng = lab.rng(noisy, repeat)  # the same data for every C
                X, y = two_gaussians(rng, rows, noise=NOISE * noisy, flips=FLIPS * noisy)
                for i, variant in enumerate(VARIANTS):
                    model = PAClassifier(
                        variant=variant,  # type: ignore[arg-type]
                        C=C,
                        intercept=False,
                        labels=[1, -1],
                    )
                    scores = model.predict_learn_many(X, y, output="score")
                    wrong = np.where(scores >= 0.0, 1, -1) != y
                    errors[noisy, i, repeat] = wrong.mean()
                    if noisy:
                        used[i, repeat] = slack(variant, C, X, y, scores)
                        if variant == "PA-I" and C in curves:
                            curves[C].append(np.cumsum(wrong) / np.arange(1, rows + 1))
        means = errors.mean(axis=2)
        table.add(C, *map(float, means[1]), *map(float, means[0]), *map(float, used.max(axis=1)))
    mean = {C: np.mean(found, axis=0) for C, found in curves.items()}
    over = Table(
        "PA-I: cumulative error rate over time",
        ["examples", *(f"C={C:g}" for C in SHOWN)],
        name="time",
    )
    for at in (30, 100, 300, 1000, 2000, 4000):
        if at <= rows:
            over.add(at, *(float(mean[C][at - 1]) for C in SHOWN))
    return Outcome(
        [table, over],
        drawn(table, mean),
        {
            "generator": "that of the experiment `noise`",
            "noise": f"deviation {NOISE} on instances, {FLIPS:.0%} of the labels flipped",
            "examples": f"{rows:,}",
            "repeats": repeats,
            "C": "10^-4 ... 10^2",
            "learners": "PAClassifier(variant, C, intercept=False)",
            "bounds": "PA-I: mistakes ≤ max(R², 1/C)(‖u‖² + 2C Σℓ*); PA-II: Σℓ² ≤ (R² + 1/2C)"
            "(‖u‖² + 2C Σℓ*²); u: six multiples of a ridge solution, the tightest",
            "seed": lab.seed,
        },
        findings(table, over),
    )


def findings(table: Table, over: Table) -> list[Finding]:
    """What the lecture said, and what the tables say."""
    errors = {v: table.column(v) for v in VARIANTS}
    best = {v: table.column("C")[int(np.argmin(errors[v]))] for v in VARIANTS}
    bound = max(*table.column("bound PA-I"), *table.column("bound PA-II"))
    early, late = over.rows[1 if len(over.rows) > 1 else 0], over.rows[-1]
    middle = all(SETTINGS[0] < best[v] < SETTINGS[-1] for v in VARIANTS)
    return [
        Finding(
            "Results meet the theoretic loss bounds",
            f"at most {bound:.2f} of the bound was used, over all runs and all C",
            bound <= 1.0,
        ),
        Finding(
            "With noise in the data, C should be small",
            "best C: "
            + ", ".join(f"{v} {best[v]:g}" for v in VARIANTS)
            + "; at C = 100 "
            + ", ".join(f"{v} {errors[v][-1]:.3f}, best {min(errors[v]):.3f}" for v in VARIANTS),
            all(best[v] <= 0.1 and errors[v][-1] > 1.2 * min(errors[v]) for v in VARIANTS),
        ),
        Finding(
            "But not too small: the error is a U over C",
            "at C = 0.0001 " + ", ".join(f"{v} {errors[v][0]:.3f}" for v in VARIANTS),
            middle and all(errors[v][0] > 1.2 * min(errors[v]) for v in VARIANTS),
        ),
        Finding(
            "A large C is better early, a small one late",
            f"after {early[0]:,} examples C=100 {early[2]:.3f}, C=0.001 {early[1]:.3f}; after "
            f"{late[0]:,} {late[2]:.3f}, {late[1]:.3f}",
            early[2] < early[1] and late[2] > late[1],
        ),
    ]


def drawn(table: Table, curves: dict[float, Floats]) -> Any:
    """Error by C, error over time, share of the bounds."""
    page, panels = figure(3, width=4.6)
    left, middle, right = panels[0]
    for i, variant in enumerate(VARIANTS):
        of = {"color": COLOURS[i], "marker": "o", "markersize": 4}
        left.plot(table.column("C"), table.column(variant), label=f"{variant}, noise", **of)
        clean = table.column(f"{variant} without noise")
        left.plot(table.column("C"), clean, "--", label=f"{variant}, no noise", **of)
        right.plot(
            table.column("C"), table.column(f"bound {variant}"), label=f"{variant}, noise", **of
        )
    finish(left, "Error by C", "C", "online error rate", logx=True)
    left.set_ylim(bottom=0)
    for i, (C, curve) in enumerate(curves.items()):
        at = np.unique(np.geomspace(10, len(curve), 200).astype(int))
        middle.plot(at, curve[at - 1], color=COLOURS[2 + i], label=f"PA-I, C = {C:g}")
    finish(middle, "PA-I over time, with noise", "examples", "error rate so far", logx=True)
    middle.set_ylim(bottom=0)
    right.axhline(1.0, color="#777777", linestyle="--")
    finish(right, "Loss bounds", "C", "share of the bound that was used", logx=True, logy=True)
    key(page, left, middle, columns=6)
    return page
