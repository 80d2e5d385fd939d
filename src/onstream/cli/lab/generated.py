"""Data that several experiments generate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
VARIANCES = (0.2, 2.0)


def two_gaussians(
    rng: np.random.Generator, rows: int, *, noise: float = 0.0, flips: float = 0.0
) -> tuple[Floats, NDArray[np.int64]]:
    """The generator of Crammer et al. 2006, section 10: labels ±1, two features and a constant.

    x ~ N((y, y), diag(0.2, 2)); `noise` is the deviation of what is added to both features,
    `flips` the chance that a label is turned over.
    """
    y = rng.choice([-1, 1], rows)
    X = np.ones((rows, 3))
    X[:, :2] = y[:, None] + rng.normal(size=(rows, 2)) * np.sqrt(VARIANCES)
    X[:, :2] += noise * rng.normal(size=(rows, 2))
    y = np.where(rng.random(rows) < flips, -y, y)
    return X, y


def best_line(X: Floats, y: NDArray[np.int64], angles: int = 180) -> float:
    """Fewest errors of any line: so many directions, every threshold; as a share of the rows."""
    turns = np.pi * np.arange(angles) / angles
    at = np.vstack([np.cos(turns), np.sin(turns)]).T @ X[:, :2].T
    # The label goes into the last bit of the projection, so that one sort carries both.
    bits = np.ascontiguousarray(at).view(np.int64)
    bits = (bits & ~np.int64(1)) | (y > 0)
    ordered = np.sort(bits.view(np.float64), axis=1).view(np.int64) & 1
    signs = 2 * ordered - 1
    sums = np.cumsum(signs, axis=1)  # of the labels below each threshold
    total = int(np.sum(y))
    # Above the threshold +1, below -1: errors are the +1 below and the -1 above; or the other way.
    right = np.concatenate([np.zeros((angles, 1), dtype=np.int64), sums], axis=1)
    gain = total - 2 * right
    return float((len(y) - np.abs(gain).max()) / (2 * len(y)))


def rows_of(stream: Any, n: int) -> tuple[Floats, NDArray[Any]]:
    """The first rows of a stream, as arrays."""
    X, y = next(iter(stream.batches(n)))
    return np.asarray(X, dtype=np.float64), np.asarray(y)
