"""Follow the regularised leader, proximal."""

from typing import Unpack

import numpy as np

from ...base.checks import number
from ...base.union import Exported
from ..mixing import Both, Matrix, split
from ._dual_averaging import FTRLOptimizer
from ._optimizer import Optimizer
from .base import GradientClassifier, GradientClassifierOptions
from .mixing import ftrl_sums, merge_ftrl


class FTRLProximal(GradientClassifier):
    """FTRL-proximal (McMahan et al., Ad click prediction, KDD 2013).

    Per weight: sigma = (sqrt(n + g^2) - sqrt(n)) / alpha; z += g - sigma * w; n += g^2; and w is 0
    where |z| <= l1, otherwise -(z - sign(z) * l1) / ((beta + sqrt(n)) / alpha + l2). So every
    weight has its own falling rate, and L1 gives exact zeros. An update costs O(non-zeros): made
    for sparse data with millions of features.
    The same in plain NumPy: tests/oracles/gradient.py.

    Parameters
    ----------
    alpha : float > 0, default 0.1
        Learning rate. Raise it for speed, lower it if the error jumps about.
    beta : float > 0, default 1.0
        Keeps the first steps of a rare feature small. Raise it for smaller ones.
    l1 : float >= 0, default 0.0
        Sum of gradients that a feature needs to count. Raise it for fewer features.
    l2 : float >= 0, default 0.0
        Pull towards zero weights. Raise it against overfitting.

    Examples
    --------
    >>> model = FTRLProximal(alpha=0.5)
    >>> for _ in range(20):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.predict_proba_one({"free": 1})["spam"] > 0.7
    True
    """

    _no_rate = "lower alpha"

    def __init__(
        self,
        *,
        alpha: float = 0.1,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        **common: Unpack[GradientClassifierOptions],
    ) -> None:
        self.alpha = number(self, "alpha", alpha, least=1e-100, most=1e50, hint="Try 0.1.")
        self.beta = number(self, "beta", beta, least=1e-100, most=1e100, hint="Try 1.")
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self.l2 = number(self, "l2", l2, least=0.0, most=1e100)
        super().__init__(**common)

    def _optimizer(self) -> Optimizer:
        return FTRLOptimizer(self.intercept, self.alpha, self.beta, self.l1, self.l2)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        both, mixed = self._both(mine, theirs)
        return merge_ftrl(both, mixed, self.alpha, self.beta, self.l1, self.l2)

    def _rebased_sums(self, both: Both, own: Matrix, sign: int) -> Exported:
        fields = both.states[0]
        n = both.rebased("n", sign)
        return {**n, **self._sums_for(own, fields, np.vstack([n["n"], n["bias_n"]]))}

    def _paced(self, fields: Exported, share: float) -> Exported:
        fields = super()._paced(self._tidied(fields), share)
        n = share * np.vstack([fields["n"], fields["bias_n"]])
        sums = self._sums_for(self._predicting(fields), fields, n)
        return {**fields, **split(n, "n"), **sums}

    def _sums_for(self, own: Matrix, fields: Exported, n: Matrix) -> Exported:
        """The z that stands for these weights with squares n."""
        z = np.vstack([fields["z"], fields["bias_z"]])
        return split(ftrl_sums(own, z, n, self.alpha, self.beta, self.l1, self.l2), "z")
