"""Endless streams made by chance, for experiments where the truth is known."""

from .agrawal import Agrawal
from .drift import Drift
from .friedman import Friedman
from .hyperplane import Hyperplane
from .led import LED
from .random_rbf import RandomRBF
from .random_tree import RandomTree
from .sea import SEA
from .sine import Sine
from .stagger import STAGGER
from .waveform import Waveform

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
    "Waveform",
]
