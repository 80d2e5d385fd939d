"""Robustness to noise: experiment 1 of Behuet's lecture (Crammer et al. 2006, section 10)."""

from typing import Any

import numpy as np

from ...features import StandardScaler
from ...linear import PAClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import best_line, two_gaussians
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "What does noise do to PA, PA-I and PA-II?"
VARIANTS: tuple[Any, ...] = ("PA", "PA-I", "PA-II")
C = 0.001


def learner(variant: Any) -> PAClassifier:
    """As the lecture has it: no intercept, since the third feature is 1."""
    return PAClassifier(variant=variant, C=C, intercept=False, labels=[1, -1])


def error(model: Any, X: Any, y: Any) -> float:
    """Share of rows whose label was not predicted before it was learned."""
    return float(np.mean(model.predict_learn_many(X, y) != y))


def run(lab: Lab) -> Outcome:
    """Error rates by level of noise, beside those of the best line."""
    rows, repeats = lab.pick(4000, 4000, 1000), lab.pick(10, 10, 2)
    angles = lab.pick(180, 720, 180)
    levels = {
        "instances": lab.pick(np.arange(0, 2.01, 0.2), np.arange(0, 2.01, 0.1), np.array([0, 2])),
        "labels": lab.pick(np.arange(0, 0.41, 0.05), np.arange(0, 0.41, 0.02), np.array([0, 0.2])),
    }
    table = Table(
        f"Online error rate, mean of {repeats} runs of {rows:,} examples",
        ["noise", "level", "best line", *VARIANTS, "largest deviation"],
        formats={"level": ".2f"},
    )
    steps = [(kind, round(float(v), 4)) for kind, values in levels.items() for v in values]
    for number, (kind, level) in enumerate(lab.each(steps, lambda s: f"{s[0]} {s[1]:g}")):
        found = []
        for repeat in range(repeats):
            rng = lab.rng(number, repeat)
            noise, flips = (level, 0.0) if kind == "instances" else (0.0, level)
            X, y = two_gaussians(rng, rows, noise=noise, flips=flips)
            found.append([best_line(X, y, angles), *(error(learner(v), X, y) for v in VARIANTS)])
        mean, deviation = np.mean(found, axis=0), np.std(found, axis=0)
        table.add(kind, level, *map(float, mean), float(deviation.max()))
    tables = [table]
    real = Table(
        "Labels of real sets turned over, online error rate",
        ["set", "flipped", *VARIANTS],
        name="real",
    )
    for loaded in lab.sets(("spambase", "magic", "svmguide1", "phoneme")):
        data = loaded.shuffled(lab.seed)
        for flips in (0.0, 0.1, 0.2, 0.3):
            y = np.where(lab.rng(7).random(len(data.y)) < flips, 1 - data.binary(), data.binary())
            models = (StandardScaler() | PAClassifier(variant=v, C=C) for v in VARIANTS)
            real.add(data.name, flips, *(error(model, data.X, y) for model in models))
    if real.rows:
        tables.append(real)
    return Outcome(
        tables,
        drawn(table),
        {
            "generator": "y = ±1 alike, x ~ N((y, y), diag(0.2, 2)), and a constant 1",
            "examples": f"{rows:,}",
            "repeats": repeats,
            "C": C,
            "learners": "PAClassifier(variant, C, intercept=False)",
            "best line": f"{angles} directions, all thresholds, chosen in hindsight",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""
    clean = table.rows[0][3:6]
    top = max(table.column("level")[i] for i, k in enumerate(table.column("noise")) if k[0] == "i")
    far = {v: table.value(v, noise="instances", level=top) for v in VARIANTS}
    flipped = {v: table.value(v, noise="labels", level=0.2) for v in VARIANTS}
    gaps = [w["PA"] - max(w["PA-I"], w["PA-II"]) for w in (far, flipped)]
    return [
        Finding(
            "Low noise: the three make a similar number of errors",
            "without noise "
            + ", ".join(f"{v} {e:.3f}" for v, e in zip(VARIANTS, clean, strict=True)),
            max(clean) < 1.25 * min(clean),
        ),
        Finding(
            "High noise: PA-I and PA-II outperform PA",
            f"PA is worse than both by {gaps[0]:.3f} at instance noise {top:g}, by {gaps[1]:.3f} "
            f"with one label in five flipped",
            min(gaps) > 0.05,
        ),
    ]


def drawn(table: Table) -> Any:
    """Two panels: noise on the instances, noise on the labels."""
    page, panels = figure(2)
    titles = {
        "instances": ("Noise on instances", "deviation of the noise"),
        "labels": ("Noise on labels", "share of labels flipped"),
    }
    for panel, (kind, (title, x)) in zip(panels[0], titles.items(), strict=True):
        rows = [row for row in table.rows if row[0] == kind]
        for i, name in enumerate(("best line", *VARIANTS)):
            colour, style = ("#777777", "--") if not i else (COLOURS[i - 1], "-")
            panel.plot(
                [row[1] for row in rows],
                [row[2 + i] for row in rows],
                style,
                marker="o",
                markersize=4,
                color=colour,
                label=name if not i else f"{name}{'' if name == 'PA' else f', C = {C:g}'}",
            )
        finish(panel, title, x, "online error rate")
        panel.set_ylim(bottom=0)
    key(page, *panels[0])
    return page
