"""Confidence-weighted classification."""

from typing import Literal, Unpack

from ...base.checks import choice
from .base import SecondOrderClassifier, SecondOrderOptions, probability, quantile


class CW(SecondOrderClassifier):
    """Confidence-weighted classifier (Dredze, Crammer & Pereira, ICML 2008).

    The weights are a normal distribution N(w, Sigma). After each example it is the nearest one to
    the old under which the example is classified rightly with probability `eta`, that is, whose
    margin is phi standard deviations above 0, phi being the `eta` quantile. It obeys every example
    completely, so it learns fast and suffers from wrong labels: then use `AROW` or `SCW`.
    The importance of an example makes no difference, as the example is obeyed anyway.
    The same in plain NumPy: tests/oracles/second_order.py.

    Parameters
    ----------
    eta : float in (0.5, 1), default 0.7
        Probability with which the example must be right afterwards. Lower it for noisy labels.
    form : {"stdev", "variance"}, default "stdev"
        The margin asked for: phi standard deviations (Crammer, Dredze & Pereira, NIPS 2008), or
        phi variances, as first published.

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
        **common: Unpack[SecondOrderOptions],
    ) -> None:
        self.eta = probability(self, eta)
        self.form = choice(self, "form", form, ("stdev", "variance"))
        super().__init__(**common)

    def _rule(self) -> tuple[str, float, float]:
        return "CW" if self.form == "stdev" else "CW variance", quantile(self.eta), 1.0
