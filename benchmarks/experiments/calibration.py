"""Does naive Bayes push probabilities towards 0 and 1? The page docs/calibration.md.

    python -m benchmarks.experiments.calibration [--data DIR]

Embedded data and generators; with --data also the real data sets of that folder. Writes the tables
between the marks of the page, and the picture beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from onstream.bayes import BernoulliNB, GaussianNB, MultinomialNB
from onstream.datasets import noaa_weather
from onstream.features import StandardScaler
from onstream.linear import LogisticRegression
from onstream.streams import SEA, Agrawal, Hyperplane, Waveform

from .folder import asked_for, loader
from .page import ROOT, table, write_part, write_picture

PAGE = ROOT / "docs" / "calibration.md"
PICTURE = ROOT / "docs" / "pictures" / "calibration.png"
BINS = 10
COLOURS = {"naive Bayes": "#d1495b", "logistic regression": "#00798c"}

Make = Callable[[], Any]


@dataclass
class Stream:
    """A two-label task and the two learners for it."""

    name: str
    X: Any
    y: np.ndarray
    bayes: Make = GaussianNB
    logistic: Make = lambda: StandardScaler() | LogisticRegression(eta=0.02)

    def learners(self) -> dict[str, Make]:
        return {"naive Bayes": self.bayes, "logistic regression": self.logistic}


@dataclass
class Told:
    """What a learner said of each example before it learned it: P(label 1), and the truth."""

    p: np.ndarray
    y: np.ndarray

    def bins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
        p = np.clip(np.where(self.y == 1, self.p, 1.0 - self.p), 1e-15, 1.0)
        return float(-np.log(p).mean())

    def sure(self) -> np.ndarray:
        """Where the probability of the likelier label was at least 99 %."""
        return np.maximum(self.p, 1.0 - self.p) >= 0.99

    def right(self) -> np.ndarray:
        return (self.p >= 0.5) == (self.y == 1)


def follow(stream: Stream, make: Make) -> Told:
    model = make()
    proba = model.predict_learn_many(stream.X, stream.y, output="proba")
    p = proba[:, model.labels.index(1)]
    half = np.arange(len(stream.y)) >= len(stream.y) // 10  # without its first steps
    return Told(p[half], stream.y[half])


# -- streams ------------------------------------------------------------


def clouds(copies: int, n: int = 20_000) -> Stream:
    """Four independent normal features, each written down so many times.

    With one copy the assumption of naive Bayes is true. Every copy is counted as new evidence.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + 0.6 * y[:, None]
    name = "independent features" if copies == 1 else f"the same, each {copies} times"
    return Stream(name, np.tile(X, copies), y)


def generated(name: str, stream: Any, n: int = 20_000) -> Stream:
    X, y = next(iter(stream.batches(n)))
    return Stream(name, np.asarray(X, dtype=float), (np.asarray(y) == 1).astype(int))


def anywhere() -> Iterator[Stream]:
    yield clouds(1)
    yield clouds(4)
    yield clouds(16)
    weather, rain = noaa_weather()
    yield Stream("noaa_weather, rain", np.asarray(weather, dtype=float), np.asarray(rain))
    yield generated("SEA(1), 10 % noise", SEA(1, noise=0.1, seed=1))
    yield generated("Hyperplane, 10 % noise", Hyperplane(noise=0.1, seed=1))
    yield generated("Waveform, 1 or not", Waveform(seed=1))
    yield generated("Agrawal(1)", Agrawal(1, seed=1))


def from_folder(folder: Path) -> Iterator[Stream]:
    load = loader(folder)
    for name in ("electricity", "spambase", "magic", "phoneme"):
        X, y = load(name)
        labels = sorted(set(y.tolist()))
        X, y = X.to_numpy(dtype=float), (y == labels[-1]).astype(int)
        if name != "electricity":  # sorted by label
            order = np.random.default_rng(0).permutation(len(y))
            X, y = X[order], y[order]
        yield Stream(name, X, y)
    X, y = load("a9a", rows="csr")
    y = (y > 0).astype(int)
    yield Stream("a9a, BernoulliNB", X, y, BernoulliNB, lambda: LogisticRegression(eta=0.02))
    texts, y = load("sms_spam")
    rows = [bag(text) for text in texts]
    for nb in (MultinomialNB, BernoulliNB):
        yield Stream(f"sms_spam, {nb.__name__}", rows, y, nb, lambda: LogisticRegression(eta=0.1))


def bag(text: str) -> dict[str, float]:
    counts: dict[str, float] = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0.0) + 1.0
    return counts


# -- tables and picture ------------------------------------------------------------


def quality(streams: list[Stream], told: dict[str, dict[str, Told]]) -> str:
    head = [
        "stream",
        "learner",
        "accuracy",
        "log loss",
        "calibration error",
        "sure",
        "wrong when sure",
    ]
    rows = []
    for stream in streams:
        for name, t in told[stream.name].items():
            sure = t.sure()
            wrong = f"{1.0 - t.right()[sure].mean():.1%}" if sure.any() else "–"
            cells = [stream.name, name, f"{t.right().mean():.1%}", f"{t.log_loss():.3f}"]
            rows.append([*cells, f"{t.error():.3f}", f"{sure.mean():.1%}", wrong])
    return table(head, rows)


def picture(shown: list[str], told: dict[str, dict[str, Told]]) -> None:
    from matplotlib.figure import Figure

    page = Figure(figsize=(13, 6), dpi=110, layout="constrained")
    axes = page.subplots(2, len(shown), squeeze=False, height_ratios=(2.2, 1.0))
    for (curve, bars), name in zip(axes.T, shown, strict=True):
        curve.plot([0, 1], [0, 1], color="grey", linestyle=":", linewidth=1.5)
        for shift, (learner, t) in zip((-0.02, 0.02), told[name].items(), strict=True):
            mean, share, _ = t.bins()
            label = f"{learner}: error {t.error():.3f}"
            curve.plot(mean, share, "o-", color=COLOURS[learner], label=label, linewidth=2.0)
            heights, edges = np.histogram(t.p, BINS, (0.0, 1.0))
            middles = (edges[1:] + edges[:-1]) / 2 + shift
            bars.bar(middles, heights / len(t.p), width=0.04, color=COLOURS[learner])
        curve.set_title(name)
        curve.legend(loc="upper left", fontsize=8)
        curve.set_xlim(0, 1)
        curve.set_ylim(0, 1)
        bars.set_xlim(0, 1)
        bars.set_ylim(0, 1)
        bars.set_xlabel("probability said")
    axes[0][0].set_ylabel("share that was so")
    axes[1][0].set_ylabel("how often said")
    write_picture(page, PICTURE)


def main() -> None:
    folder = asked_for(__doc__)
    parts = {"anywhere": list(anywhere())}
    if folder:
        parts["data sets"] = list(from_folder(folder))
    told: dict[str, dict[str, Told]] = {}
    for name, streams in parts.items():
        for s in streams:
            told[s.name] = {learner: follow(s, make) for learner, make in s.learners().items()}
        text = quality(streams, told)
        print(text)
        write_part(name, text, PAGE)
    here = [s.name for s in parts["anywhere"]]
    picture([here[0], here[2], here[3], here[6]], told)


if __name__ == "__main__":
    main()
