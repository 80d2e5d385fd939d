"""Naive Bayes over presence and absence: whether a word occurs."""

from typing import Any

from ..base.union import Exported
from ._counting import BernoulliState
from .base import NaiveBayes
from .merging import merge_counting


class BernoulliNB(NaiveBayes):
    """Naive Bayes over presence and absence (McCallum & Nigam, 1998).

    P(t present | label) = (n_tk + alpha) / (N_k + 2 alpha), where n_tk counts the examples with
    that label in which t is present: has a value above 0. Features that are absent count, too, by
    ln(1 - p); their sum over all features (those present once, and columns of arrays) is kept for
    each label. A string is the feature `name=value`.

    Examples
    --------
    >>> model = BernoulliNB()
    >>> model.learn_one({"free": 2, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"offer": 1, "meeting": 1})
    'ham'
    """

    takes_counts = True  # Pipeline: nothing that makes counts negative may stand before it

    def _new_state(self) -> Any:
        return BernoulliState(self.prior_alpha, self.alpha)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_counting(type(self).__name__, mine, theirs)
