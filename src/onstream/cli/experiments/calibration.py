"""Calibration: does naive Bayes push probabilities towards 0 and 1, as Davis's lecture says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import BernoulliNB, GaussianNB, MultinomialNB
from ...datasets import noaa_weather
from ...features import StandardScaler
from ...linear import LogisticRegression
from ...streams import SEA, Agrawal, Hyperplane, Waveform
from ..lab.drawing import figure, finish
from ..lab.generated import rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Does naive Bayes push probabilities towards 0 and 1?"
BINS = 10
COLOURS = {"naive Bayes": "#d1495b", "logistic regression": "#00798c"}
SHOWN = (
    "independent features",
    "the same, each 16 times",
    "noaa_weather, rain",
    "Waveform, 1 or not",
)

Make = Callable[[], Any]
Floats = NDArray[np.float64]


@dataclass
class Stream:
    """A two-label task and the two learners for it."""

    name: str
    X: Any
    y: NDArray[np.int64]
    bayes: Make = GaussianNB
    logistic: Make = lambda: StandardScaler() | LogisticRegression(eta=0.02)

    def learners(self) -> dict[str, Make]:
        """Both by name."""
        return {"naive Bayes": self.bayes, "logistic regression": self.logistic}


@dataclass
class Told:
    """What a learner said of each example before it learned it: P(label 1), and the truth."""

    p: Floats
    y: NDArray[np.int64]

    def bins(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Of each tenth of [0, 1] that was used: mean probability, share of ones, examples."""
        at = np.minimum((self.p * BINS).astype(int), BINS - 1)
        n = np.bincount(at, minlength=BINS)
        used = n > 0
        mean = np.bincount(at, self.p, BINS)[used] / n[used]
        share = np.bincount(at, self.y, BINS)[used] / n[used]
        return mean, share, n[used]

    def error(self) -> float:
        """Expected calibration error: how far the means are from the shares, on average."""
        mean, share, n = self.bins()
        return float((n * np.abs(mean - share)).sum() / n.sum())

    def log_loss(self) -> float:
        """Mean of -ln P(what came)."""
        p = np.clip(np.where(self.y == 1, self.p, 1.0 - self.p), 1e-15, 1.0)
        return float(-np.log(p).mean())

    def sure(self) -> NDArray[np.bool_]:
        """Where the probability of the likelier label was at least 99 %."""
        return np.asarray(np.maximum(self.p, 1.0 - self.p) >= 0.99)

    def right(self) -> NDArray[np.bool_]:
        """Where the likelier label came."""
        return np.asarray((self.p >= 0.5) == (self.y == 1))


def follow(stream: Stream, make: Make) -> Told:
    """What it says of each row; the first tenth, its first steps, is left out."""
    model = make()
    proba = model.predict_learn_many(stream.X, stream.y, output="proba")
    p = proba[:, model.labels.index(1)]
    start = len(stream.y) // 10
    return Told(p[start:], stream.y[start:])


def clouds(lab: Lab, copies: int, n: int) -> Stream:
    """Four independent normal features, each written down so many times.

    With one copy the assumption of naive Bayes is true. Every copy is counted as new evidence.
    """
    rng = lab.rng()
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + 0.6 * y[:, None]
    name = "independent features" if copies == 1 else f"the same, each {copies} times"
    return Stream(name, np.tile(X, copies), y)


def streams(lab: Lab) -> Iterator[Stream]:
    """Generated and embedded data, then the real sets."""
    n = lab.pick(20_000, 200_000, 1500)
    for copies in (1, 4, 16):
        yield clouds(lab, copies, n)
    weather, rain = noaa_weather()
    yield Stream("noaa_weather, rain", np.asarray(weather, dtype=float), np.asarray(rain))
    s = lab.seed + 1
    for name, stream in (
        ("SEA(1), 10 % noise", SEA(1, noise=0.1, seed=s)),
        ("Hyperplane, 10 % noise", Hyperplane(noise=0.1, seed=s)),
        ("Waveform, 1 or not", Waveform(seed=s)),
        ("Agrawal(1)", Agrawal(1, seed=s)),
    ):
        X, y = rows_of(stream, n)
        yield Stream(name, X, (y == 1).astype(int))
    for loaded in lab.sets(("electricity", "spambase", "magic", "phoneme")):
        data = loaded if loaded.name == "electricity" else loaded.shuffled()
        yield Stream(data.name, data.X, data.binary())
    for loaded in lab.sets(("a9a",)):
        yield Stream(
            "a9a, BernoulliNB",
            loaded.X,
            loaded.binary(),
            BernoulliNB,
            lambda: LogisticRegression(eta=0.02),
        )
    for loaded in lab.sets(("sms_spam",)):
        rows = [bag(text) for text in loaded.X]
        for nb in (MultinomialNB, BernoulliNB):
            yield Stream(
                f"sms_spam, {nb.__name__}",
                rows,
                loaded.binary(),
                nb,
                lambda: LogisticRegression(eta=0.1),
            )


def bag(text: str) -> dict[str, float]:
    """How often each word occurs."""
    counts: dict[str, float] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0.0) + 1.0
    return counts


def run(lab: Lab) -> Outcome:
    """Calibration of both learners on every stream."""
    table = Table(
        "Probabilities said before each example was learned",
        [
            "stream",
            "learner",
            "accuracy",
            "log loss",
            "calibration error",
            "sure",
            "wrong when sure",
        ],
        formats={
            "accuracy": ".1%",
            "log loss": ".3f",
            "calibration error": ".3f",
            "sure": ".1%",
            "wrong when sure": ".1%",
        },
    )
    told: dict[str, dict[str, Told]] = {}
    for stream in lab.each(list(streams(lab)), lambda s: s.name):
        for learner, make in stream.learners().items():
            t = told.setdefault(stream.name, {})[learner] = follow(stream, make)
            sure = t.sure()
            wrong = float(1.0 - t.right()[sure].mean()) if sure.any() else None
            table.add(
                stream.name,
                learner,
                float(t.right().mean()),
                t.log_loss(),
                t.error(),
                float(sure.mean()),
                wrong,
            )
    return Outcome(
        [table],
        drawn(told),
        {
            "rows": f"{lab.pick(20_000, 200_000, 1500):,} where they are generated; the first "
            "tenth is left out",
            "learners": "GaussianNB(); StandardScaler() | LogisticRegression(eta=0.02), on text "
            "LogisticRegression(eta=0.1)",
            "calibration error": f"mean distance of what was said from what was so, over {BINS} "
            "bins, "
            "weighted by use",
            "sure": "at least 99 % for one label",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""

    def of(column: str, stream: str, learner: str = "naive Bayes") -> float:
        return float(table.value(column, stream=stream, learner=learner))

    one, many = SHOWN[:2]
    same = abs(of("accuracy", one) - of("accuracy", many)) < 0.01
    return [
        Finding(
            "Naive Bayes tends to push probabilities towards 0 or 1: features that repeat each "
            "other",
            f"each feature 16 times: sure of {of('sure', many):.0%}, wrong in "
            f"{of('wrong when sure', many):.0%} of these; rain: sure of {of('sure', SHOWN[2]):.0%}",
            of("calibration error", many) > 0.1,
        ),
        Finding(
            "The same where its assumption holds",
            f"independent features: calibration error {of('calibration error', one):.3f}, "
            f"logistic regression {of('calibration error', one, 'logistic regression'):.3f}",
            of("calibration error", one) > 0.05,
        ),
        Finding(
            "It estimates relative probabilities more reliably than absolute ones",
            f"accuracy with each feature once {of('accuracy', one):.1%}, 16 times "
            f"{of('accuracy', many):.1%}",
            same,
        ),
    ]


def drawn(told: dict[str, dict[str, Told]]) -> Any:
    """Above, how true the probabilities are; below, how often each was said."""
    page, axes = figure(len(SHOWN), 2, width=3.4, height=3.0)
    for (curve, bars), name in zip(axes.T, SHOWN, strict=True):
        curve.plot([0, 1], [0, 1], color="grey", linestyle=":", linewidth=1.5)
        for shift, (learner, t) in zip((-0.02, 0.02), told[name].items(), strict=True):
            mean, share, _ = t.bins()
            label = f"{learner}: error {t.error():.3f}"
            curve.plot(mean, share, "o-", color=COLOURS[learner], label=label, linewidth=2.0)
            heights, edges = np.histogram(t.p, BINS, (0.0, 1.0))
            middles = (edges[1:] + edges[:-1]) / 2 + shift
            bars.bar(middles, heights / len(t.p), width=0.04, color=COLOURS[learner])
        finish(curve, name, "", "share that was so")
        finish(bars, "", "probability said", "how often said")
        curve.legend(loc="upper left", fontsize=8, frameon=False)
        for panel in (curve, bars):
            panel.set_xlim(0, 1)
            panel.set_ylim(0, 1)
        curve.set_ylim(0, 1.25)
    return page
