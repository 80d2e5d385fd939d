"""Online bagging."""

from typing import Any, Unpack

from ..base.classifier import Classifier
from ..base.regressor import Regressor
from ..tree.hoeffding_tree_classifier import HoeffdingTreeClassifier
from ._ensemble import LabelEnsembleState
from .base import LabelEnsemble, LabelEnsembleOptions, bagged
from .merging import Bagging
from .online_bagging_regressor import OnlineBaggingRegressor


class OnlineBagging(Bagging, LabelEnsemble):
    """Online bagging (Oza, IEEE SMC 2005).

    Each member learns each example k times, k drawn from Poisson(1): as often as it would occur in
    a bootstrap sample of the whole stream. They vote with equal weight, by their probabilities, or
    each for one label. The same in plain Python: tests/oracles/ensembles.py.

    Parameters
    ----------
    learner : classifier, regressor, list or None, default None
        What the members are (None: HoeffdingTreeClassifier());
        of a list, each is one member, and `n_models` is their number. With a
        regressor this makes an `OnlineBaggingRegressor`.

    Examples
    --------
    >>> from onstream.linear import PAClassifier
    >>> model = OnlineBagging(PAClassifier(C=0.1), n_models=5)
    >>> for i in range(100):
    ...     model.learn_one({"size": i % 10, "one": 1}, "small" if i % 10 < 4 else "large")
    >>> model.predict_one({"size": 9, "one": 1})
    'large'
    """

    _apart = True

    def __new__(cls, learner: Any = None, **options: Any) -> Any:
        """Of a regressor, an ensemble for numbers."""
        first = learner[0] if isinstance(learner, (list, tuple)) and learner else learner
        if cls is OnlineBagging and isinstance(first, Regressor):
            return OnlineBaggingRegressor(learner, **options)
        return super().__new__(cls)

    def __init__(self, learner: Any = None, **common: Unpack[LabelEnsembleOptions]) -> None:
        self._set_learner(learner, HoeffdingTreeClassifier, Classifier, common)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return LabelEnsembleState(bagged(self), n_jobs=self.n_jobs)
