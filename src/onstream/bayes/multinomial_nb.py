"""Naive Bayes over counts: how often a word occurs."""

from typing import Any

from ..base.union import Exported
from ._counting import MultinomialState
from .base import NaiveBayes
from .merging import merge_counting


class MultinomialNB(NaiveBayes):
    """Naive Bayes over counts, such as words (McCallum & Nigam, 1998).

    P(t | label) = (c_tk + alpha) / (sum of c_k + alpha V), where c_tk sums up the feature t over
    the examples with that label and V counts the features seen: names by a value above 0, columns
    of arrays by being there. An example is as many draws as its values say. Values of 0 or below
    are no counts: they are left out, and those below 0 are warned of. A string is the feature
    `name=value`.

    Examples
    --------
    >>> model = MultinomialNB()
    >>> model.learn_one({"free": 2, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    def _new_state(self) -> Any:
        return MultinomialState(self.prior_alpha, self.alpha)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_counting(type(self).__name__, mine, theirs)
