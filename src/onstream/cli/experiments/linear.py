"""Three linear learners: naive Bayes, logistic regression, perceptron, by Davis's lecture."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import GaussianNB
from ...datasets import noaa_weather
from ...evaluate import MajorityClass, NoChange
from ...features import StandardScaler
from ...linear import LogisticRegression, Perceptron
from ...streams import SEA, Agrawal, Hyperplane, Waveform
from ...tree import HoeffdingTreeClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Three linear learners: do they differ, and are they worth including?"
THREE = ("naive Bayes", "logistic regression", "perceptron")
LEARNERS: dict[str, Callable[[], Any]] = {
    "naive Bayes": GaussianNB,
    "logistic regression": lambda: StandardScaler() | LogisticRegression(eta=0.02),
    "perceptron": lambda: StandardScaler() | Perceptron(),
    "VFDT": HoeffdingTreeClassifier,
    "no change": NoChange,
    "majority": MajorityClass,
}
Rows = tuple[str, Any, NDArray[Any]]


def sets(lab: Lab, rows: int) -> Iterator[Rows]:
    """Tasks that suit one learner or the other, and the embedded weather."""
    rng = lab.rng(1)
    y = rng.integers(0, 2, rows)
    yield "independent normal features", rng.normal(size=(rows, 4)) + 0.6 * y[:, None], y
    X = rng.normal(size=(rows, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    copies = np.column_stack([X[:, 0], *[X[:, 1:]] * 7]) + 0.05 * rng.normal(size=(rows, 8))
    yield "separable, one feature seven times", copies, y
    yield "xor: no line fits", X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    yield "SEA, 10 % noise", *rows_of(SEA(1, noise=0.1, seed=lab.seed + 1), rows)
    yield "Hyperplane, 5 % noise", *rows_of(Hyperplane(noise=0.05, seed=lab.seed + 1), rows)
    yield "Agrawal 1", *rows_of(Agrawal(1, seed=lab.seed + 1), rows)
    yield "Waveform, 3 labels", *rows_of(Waveform(seed=lab.seed + 1), rows)
    weather, rain = noaa_weather()
    yield "noaa_weather", np.asarray(weather), np.asarray(rain)
    for loaded in lab.sets(("electricity", "spambase", "magic", "phoneme", "letter", "pendigits")):
        data = loaded if loaded.name == "electricity" else loaded.shuffled(lab.seed)
        yield data.name, data.X, data.y


def run(lab: Lab) -> Outcome:
    """Online error of each learner on each set."""
    rows = lab.pick(20_000, 200_000, 1500)
    table = Table(
        "Online error in %",
        ["data", *LEARNERS, "best of the three", "spread of the three"],
        formats=dict.fromkeys([*LEARNERS, "spread of the three"], ".1f"),
    )
    for name, X, y in lab.each(list(sets(lab, rows)), lambda s: s[0]):
        errors = {
            learner: 100 * float(np.mean(make().predict_learn_many(X, y) != y))
            for learner, make in LEARNERS.items()
        }
        three = {learner: errors[learner] for learner in THREE}
        best = min(three, key=lambda n: three[n])
        table.add(name, *errors.values(), best, max(three.values()) - min(three.values()))
    return Outcome(
        [table],
        drawn(table),
        {
            "rows": f"{rows:,} where they are generated",
            "learners": "GaussianNB(), StandardScaler() | LogisticRegression(eta=0.02), "
            "StandardScaler() | Perceptron(), VFDT(); no change, majority",
            "protocol": "each row is predicted, then learned",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""
    spread = dict(zip(table.column("data"), table.column("spread of the three"), strict=True))
    widest = max(spread, key=lambda n: spread[n])
    winners = sorted(set(table.column("best of the three")))
    xor = [table.value(learner, data="xor: no line fits") for learner in THREE]
    better = [row[0] for row in table.rows if min(row[1:4]) <= row[4]]
    multi = [table.value(learner, data="Waveform, 3 labels") for learner in THREE]
    return [
        Finding(
            "Results can vary greatly among the three",
            f"by {max(spread.values()):.0f} points on {widest!r}; best somewhere: "
            f"{', '.join(winners)}",
            max(spread.values()) > 5.0 and len(winners) > 1,
        ),
        Finding(
            "They can only classify perfectly what a hyperplane separates",
            "xor: " + ", ".join(f"{n} {e:.0f} %" for n, e in zip(THREE, xor, strict=True)),
            min(xor) > 30.0,
        ),
        Finding(
            "It is always good to include a linear baseline",
            f"on {len(better)} of {len(table.rows)} sets the best of the three is at least as "
            "good as a "
            f"Hoeffding tree",
            len(better) >= len(table.rows) / 2,
        ),
        Finding(
            "All generalise to many labels",
            "Waveform: "
            + ", ".join(f"{n} {e:.0f} %" for n, e in zip(THREE, multi, strict=True))
            + f", majority {table.value('majority', data='Waveform, 3 labels'):.0f} %",
            max(multi) < 40.0,
        ),
    ]


def drawn(table: Table) -> Any:
    """Bars, one group per set."""
    page, panels = figure(1, width=13, height=4.4)
    panel, n = panels[0][0], len(LEARNERS)
    at = np.arange(len(table.rows))
    for i, learner in enumerate(LEARNERS):
        colour = COLOURS[i] if i < 4 else ("#999999", "#cccccc")[i - 4]
        panel.bar(
            at + (i - n / 2 + 0.5) * 0.13, table.column(learner), 0.13, color=colour, label=learner
        )
    panel.set_xticks(
        at,
        [name.replace(", ", ",\n").replace(": ", ":\n") for name in table.column("data")],
        fontsize=9,
    )
    finish(panel, "Online error", "", "error, %")
    key(page, panel, columns=6)
    return page
