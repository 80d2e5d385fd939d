"""Soft confidence-weighted classification."""

from typing import Literal, Unpack

from ...base.checks import choice, positive
from .base import SecondOrderClassifier, SecondOrderOptions, probability, quantile


class SCW(SecondOrderClassifier):
    """Soft confidence-weighted classifier (Wang, Zhao & Hoi, ICML 2012).

    `CW` with a limit, as PA-I and PA-II limit PA: the margin of phi standard deviations is asked
    for, but missing it costs C times the shortfall (variant "I") or its square ("II") only. Often
    the most accurate of the second-order learners, at the price of two parameters.
    The same in plain NumPy: tests/oracles/second_order.py.

    Parameters
    ----------
    variant : {"I", "II"}, default "I"
        Cost of what the margin falls short: linear, which caps the step at C, or squared.
    C : float > 0, default 1.0
        Aggressiveness; lower it when labels are noisy.
    eta : float in (0.5, 1) or None, default None
        Probability with which the example should be right afterwards; None is 0.75 for variant
        "I" and 0.9 for "II". Lower it for noisy labels.

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
        **common: Unpack[SecondOrderOptions],
    ) -> None:
        self.variant = choice(self, "variant", variant, ("I", "II"))
        self.C = positive(self, "C", C, "It limits the step per example; 1.0 is a good start.")
        self.eta = None if eta is None else probability(self, eta)
        super().__init__(**common)

    def _rule(self) -> tuple[str, float, float]:
        usual = 0.75 if self.variant == "I" else 0.9
        return f"SCW-{self.variant}", quantile(usual if self.eta is None else self.eta), self.C
