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


def votes(labels: Any, weights: Any, order: Any, d: Any, by: str) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for i, distance in zip(order, d, strict=True):
        vote = weights[i] / (distance + 1e-12) if by == "distance" else weights[i]
        found[labels[i]] = found.get(labels[i], 0.0) + vote
    return found
