"""Drift detectors: they watch a sequence of numbers and tell when it changes."""

from .adwin import ADWIN

__all__ = ["ADWIN"]
