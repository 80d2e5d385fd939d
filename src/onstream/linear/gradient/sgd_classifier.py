"""Classification by stochastic gradient descent."""

from typing import Unpack

from ..base import LinearClassifierOptions, Scaled, ScaleOptions
from .base import EtaOptions, GradientClassifier, LabelLoss, SGDOptions, StochasticGradient


class SGDClassifierOptions(
    EtaOptions, SGDOptions, ScaleOptions, LinearClassifierOptions, total=False
):
    """Parameters of the bases, but for loss."""


class SGDClassifier(Scaled, StochasticGradient, GradientClassifier):
    """Linear classifier by stochastic gradient descent (Robbins & Monro, 1951; Bottou, 2010).

    Each step goes against the gradient of the loss, w = (1 - rate * l2) * w - rate * gradient.
    Beyond two labels each label learns against the rest; the two old ones take over -w and +w.
    An update costs O(non-zeros), with L1 and L2, too; with average or radius together with l1 (or
    with any penalty under AdaGrad) it costs O(features).
    The same in plain NumPy: tests/oracles/gradient.py.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "hinge"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.

    Examples
    --------
    >>> model = SGDClassifier(loss="logistic", l1=0.001)
    >>> for _ in range(50):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.predict_proba_one({"free": 1})["spam"] > 0.7
    True
    """

    def __init__(
        self, *, loss: LabelLoss = "hinge", **common: Unpack[SGDClassifierOptions]
    ) -> None:
        super().__init__(loss=loss, **common)
