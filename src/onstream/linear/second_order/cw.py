"""Confidence-weighted classification."""

from collections.abc import Iterable
from statistics import NormalDist
from typing import Any, Literal

from ...base.checks import choice, number
from ...base.types import Label
from .base import SecondOrderClassifier


class CW(SecondOrderClassifier):
    """Confidence-weighted classifier (Dredze, Crammer & Pereira, ICML 2008).

    The weights are a normal distribution N(w, Sigma). After each example it is the nearest one to
    the old under which the example is classified rightly with probability `eta`, that is, whose
    margin is phi standard deviations above 0, phi being the `eta` quantile. It obeys every example
    completely, so it learns fast and suffers from wrong labels: then use `AROW` or `SCW`.
    The importance of an example makes no difference, as the example is obeyed anyway.

    Parameters
    ----------
    eta : float in (0.5, 1), default 0.7
        Probability with which the example must be right afterwards. Lower it for noisy labels.
    form : {"stdev", "variance"}, default "stdev"
        The margin asked for: phi standard deviations (Crammer, Dredze & Pereira, NIPS 2008), or
        phi variances, as first published.
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
    init : CW or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = CW()
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(
        self,
        *,
        eta: float = 0.7,
        form: Literal["stdev", "variance"] = "stdev",
        covariance: Literal["diagonal", "full"] = "diagonal",
        a: float = 1.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "CW | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self.eta = probability(self, eta)
        self.form = choice(self, "form", form, ("stdev", "variance"))
        self._check_covariance(covariance, a)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _rule(self) -> tuple[str, float, float]:
        return "CW" if self.form == "stdev" else "CW variance", quantile(self.eta), 1.0


def probability(model: object, eta: float) -> float:
    """The wanted probability of being right: more than a coin's, less than certainty."""
    hint = "It is a probability of being right; 0.7 to 0.95 are usual."
    return number(model, "eta", eta, above=0.5, most=1.0 - 1e-9, hint=hint)


def quantile(eta: float) -> float:
    """Phi, with P(Z <= phi) = eta for a standard normal Z."""
    return NormalDist().inv_cdf(eta)
