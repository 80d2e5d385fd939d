"""What naive Bayes learners share: smoothing, exact merging, unlearning."""

from typing import Any, ClassVar, Literal, Unpack

from ..base.checks import number
from ..base.classifier import LabelledOptions, ProbabilisticClassifier
from ..base.types import Example, Label
from ._state import NaiveBayesModel


class NaiveBayesOptions(LabelledOptions, total=False):
    """Parameters of every naive Bayes learner."""

    alpha: float
    prior_alpha: float


class NaiveBayes(ProbabilisticClassifier):
    """A classifier by ln P(label) + sum over the features of ln P(x_i | label).

    Parameters
    ----------
    alpha : float >= 0, default 1.0
        Added to every count (Laplace); lower it to trust rare words more.
    prior_alpha : float >= 0, default 0.0
        Added to the count of every label.
    """

    merge_kind: ClassVar[Literal["exact", "mixing"] | None] = "exact"
    _model_class: Any = NaiveBayesModel

    def __init__(
        self, *, alpha: float = 1.0, prior_alpha: float = 0.0, **common: Unpack[LabelledOptions]
    ) -> None:
        self.alpha = number(self, "alpha", alpha, least=0.0, most=1e30)
        self.prior_alpha = number(self, "prior_alpha", prior_alpha, least=0.0, most=1e30)
        super().__init__(**common)

    def unlearn_one(self, x: Example, y: Label, w: float = 1.0) -> None:
        """Take back one example that was learned: the counts are as if it had never come."""
        self._model.unlearn_one(x, y, w)
