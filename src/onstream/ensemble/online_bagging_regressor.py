"""Online bagging of numbers."""

from typing import Any, Unpack

from ..base.regressor import Regressor
from ..tree.hoeffding_tree_regressor import HoeffdingTreeRegressor
from ._ensemble import NumberEnsembleState
from .base import NumberEnsemble, NumberEnsembleOptions, bagged
from .merging import Bagging


class OnlineBaggingRegressor(Bagging, NumberEnsemble):
    """Online bagging of regressors (Oza, IEEE SMC 2005): the mean of their predictions.

    Parameters
    ----------
    learner : regressor, list or None, default None
        What the members are (None: HoeffdingTreeRegressor());
        of a list, each is one member, and `n_models` is their number.

    Examples
    --------
    >>> from onstream.linear import LMS
    >>> model = OnlineBaggingRegressor(LMS(eta=0.1), n_models=5)
    >>> for i in range(500):
    ...     model.learn_one({"x": i % 5 / 5.0}, 2.0 * (i % 5) / 5.0 + 1.0)
    >>> round(model.predict_one({"x": 0.5}), 1)
    2.0
    """

    _apart = True

    def __init__(self, learner: Any = None, **common: Unpack[NumberEnsembleOptions]) -> None:
        self._set_learner(learner, HoeffdingTreeRegressor, Regressor, common)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return NumberEnsembleState(bagged(self), n_jobs=self.n_jobs)
