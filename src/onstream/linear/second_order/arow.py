"""Adaptive regularisation of weights."""

from typing import Unpack

from ...base.checks import positive
from .base import SecondOrderClassifier, SecondOrderOptions


class AROW(SecondOrderClassifier):
    """Adaptive regularisation of weight vectors (Crammer, Kulesza & Dredze, NIPS 2009).

    Every weight has a variance, which falls with each update: what was seen often moves little,
    what is rare moves far. Below a margin of 1, with g = Sigma x and v = x.g, it makes the step
    w += (1 - m) beta y g, Sigma -= beta g g', beta = 1 / (v + r). It stands wrong labels better
    than CW does, since no single example is obeyed completely.
    The same in plain NumPy: tests/oracles/second_order.py.

    Parameters
    ----------
    r : float > 0, default 1.0
        How little one example counts. Raise it when labels are noisy.

    Examples
    --------
    >>> model = AROW(r=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    >>> model.variances["offer"] < model.variances["free"] < 1.0  # seen twice, seen once
    True
    """

    def __init__(self, *, r: float = 1.0, **common: Unpack[SecondOrderOptions]) -> None:
        self.r = positive(self, "r", r, "It damps every step; 1.0 is a good start.")
        super().__init__(**common)

    def _rule(self) -> tuple[str, float, float]:
        return "AROW", self.r, 1.0
