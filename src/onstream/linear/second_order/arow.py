"""Adaptive regularisation of weights."""

from collections.abc import Iterable
from typing import Any, Literal

from ...base.checks import positive
from ...base.types import Label
from .base import SecondOrderClassifier


class AROW(SecondOrderClassifier):
    """Adaptive regularisation of weight vectors (Crammer, Kulesza & Dredze, NIPS 2009).

    Every weight has a variance, which falls with each lesson: what was seen often moves little,
    what is rare moves far. Below a margin of 1, with g = Sigma x and v = x.g, it makes the step
    w += (1 - m) beta y g, Sigma -= beta g g', beta = 1 / (v + r). It stands wrong labels better
    than CW does, since no single example is obeyed completely.

    Parameters
    ----------
    r : float > 0, default 1.0
        How little one example counts. Raise it when labels are noisy.
    covariance : {"diagonal", "full"}, default "diagonal"
        A variance for each weight, or the covariance of all: better on correlated features, at a
        price of d^2 numbers and steps per update.
    a : float > 0, default 1.0
        Variance of a weight at the start. Raise it for faster first steps.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : AROW or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    def __init__(
        self,
        *,
        r: float = 1.0,
        covariance: Literal["diagonal", "full"] = "diagonal",
        a: float = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "AROW | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self.r = positive(self, "r", r, "It damps every step; 1.0 is a good start.")
        self._check_covariance(covariance, a)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _rule(self) -> tuple[str, float, float]:
        return "AROW", self.r, 1.0
