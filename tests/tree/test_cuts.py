"""The best cut of numbers with many labels, beside all ten cuts of every feature in NumPy."""

from math import erfc
from typing import Any

import numpy as np
import pytest

from onstream.tree import VFDT

ROWS = 300


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of several shapes and sizes, and labels that they tell something about."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, rng.choice([2, 5, 26]), ROWS)
    columns = [
        rng.normal(y * rng.normal(), 1.0),
        rng.integers(0, 4, ROWS) + (y % 3),
        np.exp(rng.normal(y % 2, 2.0)),
        1e6 + 1e-3 * rng.normal(y % 5, 0.2),
        np.where(y == 0, 7.0, rng.normal(7.0, 1.0, ROWS)),
        np.where(rng.random(ROWS) < 0.01, 1e9, rng.random(ROWS) + 0.2 * (y > 1)),
    ]
    return np.column_stack(columns).astype(float), y


def faint(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features that tell little, and one that tells too few rows apart."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, ROWS)
    y[:2] = 3
    columns = [rng.normal(0.2 * y, 1.0), rng.random(ROWS), np.where(y == 3, 9.0, rng.random(ROWS))]
    return np.column_stack(columns), y


def entropy(counts: np.ndarray) -> float:
    """Times the sum of the counts."""
    shares = counts[counts > 0.0]
    return float(-(shares * np.log2(shares / shares.sum())).sum())


def exact(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> dict[tuple[int, float], float]:
    """Feature and cut to gain, of all cuts that leave more than a hundredth on either side."""
    gains = {}
    for f, x in enumerate(X.T):
        for cut in x.min() + np.ptp(x) * np.arange(1, 11) / 11:
            left, all_ = [], []
            for label in np.unique(y):
                own, n = x[y == label], w[y == label]
                mean = np.average(own, weights=n)
                spread = np.sqrt(np.average((own - mean) ** 2, weights=n))
                share = 0.0 if cut < own.min() else 1.0
                if own.min() <= cut < own.max():
                    share = 0.5 * erfc((mean - cut) / spread / np.sqrt(2.0))
                left.append(share * n.sum())
                all_.append(n.sum())
            below, whole = np.array(left), np.array(all_)
            if 0.01 * w.sum() < below.sum() < 0.99 * w.sum():
                after = entropy(below) + entropy(whole - below)
                gains[f, float(cut)] = (entropy(whole) - after) / w.sum()
    return gains


@pytest.mark.parametrize("rows", [draw, faint])
@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_best_of_all_that_there_are(rows: Any, seed: int) -> None:
    X, y = rows(seed)
    w = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], ROWS)
    model = VFDT(grace_period=w.sum(), delta=1.0, tau=1.0)
    model.learn_many(X, y, w)
    gains = exact(X, y, w)
    best = max(gains.values())
    root = model._root()
    assert root.gain == pytest.approx(best, rel=1e-6)
    at, cut = max(gains, key=lambda key: gains[key])
    if best - sorted(gains.values())[-2] > 1e-7:
        assert (root.feature, root.threshold) == (at, pytest.approx(cut, rel=1e-12))
