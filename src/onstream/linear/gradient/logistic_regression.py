"""Logistic regression."""

from typing import Any, Unpack

import numpy as np

from ...base.classifier import ProbabilisticClassifier
from ...base.union import Exported
from ..base import LinearClassifier, LinearClassifierOptions, Scaled, ScaleOptions
from ..mixing import shares
from ._regression import LogisticState
from .base import EtaOptions, Regularised, RegularisedOptions


class LogisticRegressionOptions(
    EtaOptions, RegularisedOptions, ScaleOptions, LinearClassifierOptions, total=False
):
    """Parameters of logistic and softmax regression."""


class LogisticRegression(Scaled, Regularised, LinearClassifier, ProbabilisticClassifier):
    """Logistic regression by stochastic gradient ascent of the log-likelihood (Cox, 1958).

    After each example the weights move by eta * ((y - p) * x - l2 * w), where p is the probability
    it was given; the intercept is not regularised. A third label turns it into softmax
    regression; what it knew of the first two stays.
    The same in plain NumPy: tests/oracles/logistic_regression.py.

    Examples
    --------
    >>> model = LogisticRegression()
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> round(model.predict_proba_one({"free": 1})["spam"], 2)
    0.96
    """

    _step_factor = 1.0  # how many rows a step with two labels moves

    def __init__(self, **common: Unpack[LogisticRegressionOptions]) -> None:
        super().__init__(**common)

    def _new_state(self) -> Any:
        return LogisticState(
            self.intercept, self.schedule, self.eta, self.power, self.l2, self._step_factor,
            self.scale is not None,
        )  # fmt: skip

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        merged = super()._merged(mine, theirs)
        if "watch" in mine:  # begin to watch again, as careful as both were
            a, b = shares(mine, theirs)
            watch = np.zeros(4 + max(2, len(merged["labels"])))
            watch[0] = min(1.0, a * mine["watch"][0] + b * theirs["watch"][0])
            merged["watch"] = watch
        return merged
