"""Nearest neighbours by brute force on the last rows."""

from typing import Any

import numpy as np


def scaled(window: np.ndarray, x: np.ndarray, scale: str | None) -> tuple[np.ndarray, np.ndarray]:
    """The window and the query, rescaled by the window; a constant feature becomes 0."""
    if scale is None:
        return window, x
    low = window.min(axis=0) if scale == "minmax" else window.mean(axis=0)
    spread = np.ptp(window, axis=0) if scale == "minmax" else window.std(axis=0)
    constant = np.ptp(window, axis=0) == 0.0
    factor = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, spread))
    return (window - low) * factor, (x - low) * factor


def distances(window: np.ndarray, x: np.ndarray, metric: Any) -> np.ndarray:
    if metric == "euclidean":
        return np.sqrt(((window - x) ** 2).sum(axis=1))
    if metric == "manhattan":
        return np.abs(window - x).sum(axis=1)
    if metric == "cosine":
        lengths = np.linalg.norm(window, axis=1) * np.linalg.norm(x)
        safe = np.where(lengths > 0.0, lengths, 1.0)
        return np.where(lengths > 0.0, 1.0 - (window @ x) / safe, 1.0)
    return np.array([metric(x, row) for row in window])


def neighbours(
    rows: np.ndarray, x: np.ndarray, k: int, scale: str | None, metric: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the k nearest, the oldest first at equal distance."""
    window, query = scaled(rows, x, scale)
    d = distances(window, query, metric)
    order = np.argsort(d, kind="stable")[:k]
    return order, d[order]


def mixed(
    numbers: np.ndarray, codes: np.ndarray, x: np.ndarray, code: np.ndarray, metric: str
) -> np.ndarray:
    """Distances over numbers, scaled already, and nominal values, which differ by 0 or 1."""
    differ = (codes != code).sum(axis=1)
    if metric == "euclidean":
        return np.sqrt(((numbers - x) ** 2).sum(axis=1) + differ)
    if metric == "manhattan":
        return np.abs(numbers - x).sum(axis=1) + differ
    present = codes >= 0  # cosine: each nominal value is a feature that is 1
    dots = numbers @ x + ((codes == code) & present).sum(axis=1)
    lengths = np.sqrt((numbers**2).sum(axis=1) + present.sum(axis=1))
    lengths = lengths * np.sqrt((x**2).sum() + (code != -1).sum())
    return np.where(lengths > 0.0, 1.0 - dots / np.where(lengths > 0.0, lengths, 1.0), 1.0)


def value_difference(
    codes: np.ndarray, labels: np.ndarray, weights: np.ndarray, code: np.ndarray, q: int
) -> np.ndarray:
    """Of each row of codes from `code`: sums of |P(label | x) - P(label | y)|^q / 2."""
    found = np.zeros(len(codes))
    for column, own in zip(codes.T, code, strict=True):
        shares = {
            value: np.array(
                [
                    weights[(column == value) & (labels == label)].sum()
                    / weights[column == value].sum()
                    for label in np.unique(labels)
                ]
            )
            for value in set(column.tolist()) - {-1}
        }
        for i, value in enumerate(column.tolist()):
            if value in shares and own in shares:
                found[i] += (np.abs(shares[value] - shares[own]) ** q).sum() / 2
            else:
                found[i] += value != own
    return found


def within(d: np.ndarray, k: int, ties: str) -> np.ndarray:
    """Indices of the k nearest, with all that are as far as the k-th, or the oldest of them."""
    order = np.argsort(d, kind="stable")
    if ties == "first" or len(d) <= k:
        return order[:k]
    return order[: np.count_nonzero(d <= d[order[k - 1]])]


def votes(labels: Any, weights: Any, order: Any, d: Any, by: str) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for i, distance in zip(order, d, strict=True):
        vote = weights[i] / (distance + 1e-12) if by == "distance" else weights[i]
        found[labels[i]] = found.get(labels[i], 0.0) + vote
    return found
