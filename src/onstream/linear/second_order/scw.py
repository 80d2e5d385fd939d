"""Soft confidence-weighted classification."""

from collections.abc import Iterable
from typing import Any, Literal

from ...base.checks import choice, positive
from ...base.types import Label
from .base import SecondOrderClassifier
from .cw import probability, quantile


class SCW(SecondOrderClassifier):
    """Soft confidence-weighted classifier (Wang, Zhao & Hoi, ICML 2012).

    `CW` with a limit, as PA-I and PA-II limit PA: the margin of phi standard deviations is asked
    for, but missing it costs C times the shortfall (variant "I") or its square ("II") only. Often
    the most accurate of the second-order learners, at the price of two parameters.

    Parameters
    ----------
    variant : {"I", "II"}, default "I"
        Cost of what the margin falls short: linear, which caps the step at C, or squared.
    C : float > 0, default 1.0
        Aggressiveness; lower it when labels are noisy.
    eta : float in (0.5, 1) or None, default None
        Probability with which the example should be right afterwards; None is 0.75 for variant
        "I" and 0.9 for "II". Lower it for noisy labels.
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
    init : SCW or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = SCW(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(
        self,
        *,
        variant: Literal["I", "II"] = "I",
        C: float = 1.0,
        eta: float | None = None,
        covariance: Literal["diagonal", "full"] = "diagonal",
        a: float = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "SCW | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self.variant = choice(self, "variant", variant, ("I", "II"))
        self.C = positive(self, "C", C, "It limits the step per example; 1.0 is a good start.")
        self.eta = None if eta is None else probability(self, eta)
        self._check_covariance(covariance, a)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _rule(self) -> tuple[str, float, float]:
        usual = 0.75 if self.variant == "I" else 0.9
        return f"SCW-{self.variant}", quantile(usual if self.eta is None else self.eta), self.C
