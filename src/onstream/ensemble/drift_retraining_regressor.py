"""Retraining of numbers on drift."""

from typing import Any, Unpack

from ..base.learner import LearnerOptions
from ..base.regressor import Regressor
from ..drift.page_hinkley import PageHinkley
from ..tree.hoeffding_tree_regressor import HoeffdingTreeRegressor
from ._ensemble import NumberEnsembleState
from .base import Wrapped, retrained
from .retraining import Retraining, checked_detector


class DriftRetrainingRegressor(Retraining, Wrapped, Regressor):
    """A regressor that begins anew when its errors change (Gama et al., SBIA 2004).

    As `DriftRetraining`; the detector is given how far off each prediction is.

    Parameters
    ----------
    learner : regressor or None, default None
        What learns (None: HoeffdingTreeRegressor()).
    detector : detector or None, default None
        What watches its errors (None: PageHinkley()): one that takes any number.

    Examples
    --------
    >>> from onstream.linear import LMS
    >>> model = DriftRetrainingRegressor(LMS(eta=0.1))
    >>> for i in range(300):
    ...     model.learn_one({"x": i % 5 / 5.0}, 2.0 * (i % 5) / 5.0 + 1.0)
    >>> round(model.predict_one({"x": 0.5}), 1)
    2.0
    """

    def __init__(
        self, learner: Any = None, *, detector: Any = None, **common: Unpack[LearnerOptions]
    ) -> None:
        self._set_learner(learner, HoeffdingTreeRegressor, Regressor, common)
        self.detector = checked_detector(self, detector, errors=False)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return NumberEnsembleState([retrained(self, PageHinkley)], n_jobs=1)
