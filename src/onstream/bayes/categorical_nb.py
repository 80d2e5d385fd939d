"""Naive Bayes over nominal values."""

from typing import Any, Unpack

from ..base.checks import whole
from ..base.union import Exported
from ._mixed import MixedState
from .base import NaiveBayes, NaiveBayesOptions
from .merging import merge_mixed


class CategoricalNB(NaiveBayes):
    """Naive Bayes over nominal values; a number is the name of a value, too.

    P(x_i = v | label) = (n_ivk + alpha) / (N_k + alpha V_i), where n_ivk counts the examples with
    that label and value and V_i the values that the feature takes. A missing feature is left out.
    Any order of the examples gives the same model. Cf. Mitchell, Machine Learning, 1997, chapter 6.

    Parameters
    ----------
    alpha : float >= 0, default 1.0
        Added to every count (Laplace); 0 rules out what was never seen.
    n_values : dict or None, default None
        Feature to how many values it can take, where that is known; otherwise those seen so far
        count.

    Examples
    --------
    >>> model = CategoricalNB()
    >>> model.learn_one({"colour": "red", "size": "big"}, "+")
    >>> model.learn_one({"colour": "blue", "size": "big"}, "-")
    >>> model.predict_one({"colour": "red"})
    '+'
    """

    def __init__(
        self, *, n_values: dict[Any, int] | None = None, **common: Unpack[NaiveBayesOptions]
    ) -> None:
        self.n_values = n_values
        if n_values is not None:
            if not isinstance(n_values, dict):
                raise TypeError(
                    f"CategoricalNB: n_values must be a dict from features to whole numbers, "
                    f"got {n_values!r:.80}."
                )
            self.n_values = {
                str(name): whole(self, "n_values", count, least=1, most=2**31 - 1)
                for name, count in n_values.items()
            }
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MixedState(self.prior_alpha, self.alpha, 0.0, 0.0, True, self.n_values)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_mixed(type(self).__name__, mine, theirs)
