"""Where examples come from: files, data frames, iterables, and generators with known truth.

A stream is an iterable of `(x, y)` that also offers `batches(n)`, blocks for `learn_many`.
"""

from .generators import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    Drift,
    Friedman,
    Hyperplane,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
)
from .stream import Stream

__all__ = [
    "LED",
    "SEA",
    "STAGGER",
    "Agrawal",
    "Drift",
    "Friedman",
    "Hyperplane",
    "RandomRBF",
    "RandomTree",
    "Sine",
    "Stream",
    "Waveform",
]
