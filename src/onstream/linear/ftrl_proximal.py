"""Follow the regularised leader, proximal."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import number
from ..base.types import Label
from ..base.union import Exported
from .dual_averaging import FTRL
from .gradient_mixing import merge_ftrl
from .optimizer import Optimizer
from .stochastic_gradient import GradientClassifier


class FTRLProximal(GradientClassifier):
    """FTRL-proximal (McMahan et al., Ad click prediction, KDD 2013).

    Per weight: sigma = (sqrt(n + g^2) - sqrt(n)) / alpha; z += g - sigma * w; n += g^2; and w is 0
    where |z| <= l1, else -(z - sign(z) * l1) / ((beta + sqrt(n)) / alpha + l2). So every weight
    has its own falling rate, and L1 gives exact zeros. An update costs O(non-zeros): made for
    sparse data with millions of features.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "logistic"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.
    alpha : float > 0, default 0.1
        Learning rate. Raise it for speed, lower it if the error jumps about.
    beta : float > 0, default 1.0
        Keeps the first steps of a rare feature small. Raise it for smaller ones.
    l1 : float >= 0, default 0.0
        Sum of gradients that a feature needs to count. Raise it for fewer features.
    l2 : float >= 0, default 0.0
        Pull towards zero weights. Raise it against overfitting.
    intercept : bool, default True
        Learn a constant term, shown as `bias`; it is never regularised.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : FTRLProximal or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared_hinge", "perceptron", "squared"] = "logistic",
        alpha: float = 0.1,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "FTRLProximal | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_loss(loss)
        self.alpha = number(self, "alpha", alpha, least=1e-100, most=1e50, hint="Try 0.1.")
        self.beta = number(self, "beta", beta, least=1e-100, most=1e100, hint="Try 1.")
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self.l2 = number(self, "l2", l2, least=0.0, most=1e100)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _optimizer(self) -> Optimizer:
        return FTRL(self.intercept, self.alpha, self.beta, self.l1, self.l2)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        both, mixed = self._both(mine, theirs)
        return merge_ftrl(both, mixed, self.alpha, self.beta, self.l1, self.l2)
