"""Small synthetic streams, the same in every run."""

from typing import NamedTuple

import numpy as np

FEATURES = 10


class Stream(NamedTuple):
    """Rows of numbers, some of them 0, and what is to be learned of each."""

    X: np.ndarray
    y: np.ndarray


def rows(n: int, seed: int, features: int = FEATURES) -> np.ndarray:
    """Normal numbers, a third of them 0."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, features)) * (rng.random((n, features)) < 0.67)


def two_labels(n: int = 600, seed: int = 1) -> Stream:
    """Which side of a plane; 2 % of the labels are wrong."""
    X = rows(n, seed)
    rng = np.random.default_rng(seed + 1)
    side = X @ np.arange(1, FEATURES + 1) + 2.0 > 0.0
    return Stream(X, np.where(side ^ (rng.random(n) < 0.02), "spam", "ham"))


def three_labels(n: int = 600, seed: int = 2) -> Stream:
    """The largest of three linear functions; the third label is unknown for the first 50 rows."""
    X = rows(n, seed)
    scores = X @ np.random.default_rng(7).normal(size=(FEATURES, 3))
    scores[:50, 2] = -np.inf
    return Stream(X, np.array(["a", "b", "c"])[scores.argmax(axis=1)])


def tags(n: int = 600, seed: int = 4) -> Stream:
    """A set of labels for each row: those of three whose linear function is positive."""
    X = rows(n, seed)
    scores = X @ np.random.default_rng(8).normal(size=(FEATURES, 3))
    y = np.empty(n, dtype=object)
    y[:] = [frozenset(np.array(["a", "b", "c"])[row > 0.0].tolist()) for row in scores]
    return Stream(X, y)


def cluster(n: int = 600, seed: int = 5) -> Stream:
    """Examples around one point; all of them belong there."""
    rng = np.random.default_rng(seed)
    X = np.linspace(1.0, 2.0, FEATURES) + 0.02 * rng.normal(size=(n, FEATURES))
    return Stream(X, np.ones(n, dtype=bool))


def plane(n: int = 600, seed: int = 3) -> Stream:
    """A linear function with a little noise."""
    X = rows(n, seed)
    rng = np.random.default_rng(seed + 1)
    return Stream(X, X @ np.linspace(-1.0, 1.0, FEATURES) + 1.5 + 0.1 * rng.normal(size=n))


def named_values(n: int = 600, seed: int = 4) -> Stream:
    """Three values each, as numbers; more of the value 2 speak for "many"; 2 % are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, FEATURES)).astype(float)
    many = (X == 2.0).sum(axis=1) > FEATURES / 3
    return Stream(X, np.where(many ^ (rng.random(n) < 0.02), "many", "few"))


def word_counts(n: int = 600, seed: int = 5) -> Stream:
    """Counts; one label has more of the first features, the other of the last."""
    rng = np.random.default_rng(seed)
    sport = rng.random(n) < 0.5
    rates = np.where(
        sport[:, None], np.linspace(0.2, 1.0, FEATURES), np.linspace(1.0, 0.2, FEATURES)
    )
    return Stream(rng.poisson(rates).astype(float), np.where(sport, "sport", "arts"))
