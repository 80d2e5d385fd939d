"""Naive Bayes over columns of two kinds: normal distributions for numbers, counts for names."""

from collections.abc import Iterable
from typing import Any, ClassVar, Unpack

from ..base.checks import number
from ..base.union import Exported
from ._mixed import MixedState
from .base import NaiveBayes, NaiveBayesOptions
from .merging import merge_mixed


class GaussianNB(NaiveBayes):
    """Naive Bayes: a normal distribution for each number, a table for each nominal value.

    ln P(label, x) = ln P(label) + sum over the features of ln P(x_i | label). Numbers have a mean
    and a variance for each label, kept by Welford's recursion; strings have counts, smoothed by
    `alpha`. A feature that is missing (left out, None or NaN) is left out of the sum. Any order of
    the examples gives the same model. Cf. Mitchell, Machine Learning, 1997, chapter 6.

    Parameters
    ----------
    variance_floor : float >= 0, default 1e-3
        Share of a feature's variance over all labels that is added to its variance for each label,
        whatever the feature's unit. Raise it (to 1e-2, say) if few examples make it too sure.
        0: `var_smoothing` is added instead, as scikit-learn does.
    var_smoothing : float >= 0, default 1e-9
        Share of the largest variance of any feature that is added to each variance where
        `variance_floor` is 0; otherwise the variance of a feature that has only ever had one value.
    alpha : float >= 0, default 1.0
        Added to every count of a nominal value (Laplace); 0 rules out what was never seen.
    categorical : list or None, default None
        Features whose numbers are names: codes, months, numbers of houses.

    Examples
    --------
    >>> model = GaussianNB()
    >>> model.learn_many([[1.0], [2.0], [7.0], [8.0]], ["low", "low", "high", "high"])
    >>> model.predict_one([3.0])
    'low'
    """

    _added_parameters: ClassVar[dict[str, Any]] = {"variance_floor": 0.0}

    def __init__(
        self,
        *,
        variance_floor: float = 1e-3,
        var_smoothing: float = 1e-9,
        categorical: Iterable[str | int] | None = None,
        **common: Unpack[NaiveBayesOptions],
    ) -> None:
        self.variance_floor = number(self, "variance_floor", variance_floor, least=0.0, most=1e30)
        self.var_smoothing = number(self, "var_smoothing", var_smoothing, least=0.0, most=1e30)
        self.categorical = None if categorical is None else self._names(categorical)
        super().__init__(**common)

    def _names(self, names: Any) -> list[str | int]:
        """The features named, as a list."""
        if isinstance(names, (str, bytes, dict)) or not hasattr(names, "__iter__"):
            raise TypeError(
                f"{type(self).__name__}: categorical must be a list of features, got {names!r:.80}."
            )
        known = list(names)
        for name in known:
            if type(name) not in (str, int):
                raise TypeError(
                    f"{type(self).__name__}: categorical must name features, got {name!r:.80}."
                )
        return known

    def _new_state(self) -> Any:
        categorical = None if self.categorical is None else set(map(str, self.categorical))
        floor, smoothing = self.variance_floor, self.var_smoothing
        return MixedState(self.prior_alpha, self.alpha, floor, smoothing, categorical, None)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_mixed(type(self).__name__, mine, theirs)
