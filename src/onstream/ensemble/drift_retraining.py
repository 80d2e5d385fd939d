"""Retraining on drift."""

from typing import Any, Unpack

from ..base.classifier import Classifier, LabelledOptions, ProbabilisticClassifier
from ..base.regressor import Regressor
from ..drift.ddm import DDM
from ..tree.hoeffding_tree_classifier import HoeffdingTreeClassifier
from ._ensemble import LabelEnsembleState
from .base import Wrapped, retrained
from .drift_retraining_regressor import DriftRetrainingRegressor
from .retraining import Retraining, checked_detector


class DriftRetraining(Retraining, Wrapped, ProbabilisticClassifier):
    """A classifier that begins anew when its errors change (Gama et al., SBIA 2004).

    A detector is told of every error that the learner makes before it learns. From its warning on
    a second learner learns in the background; if the warning passes, that one is dropped. On an
    alarm it takes over, or a new one does. Without any alarm this is the bare learner.

    Parameters
    ----------
    learner : classifier, regressor or None, default None
        What learns (None: HoeffdingTreeClassifier()). With a regressor this makes a
        `DriftRetrainingRegressor`.
    detector : detector or None, default None
        What watches its errors (None: DDM()). DDM, EDDM and HDDM warn before they are sure.

    Examples
    --------
    >>> from onstream.bayes import GaussianNB
    >>> from onstream.streams import STAGGER, Drift
    >>> model = DriftRetraining(GaussianNB())
    >>> for x, y in Drift(STAGGER(1), STAGGER(3), at=300).limit(600):
    ...     model.learn_one(x, y)
    >>> len(model.drifts) > 0
    True
    """

    def __new__(cls, learner: Any = None, **options: Any) -> Any:
        """Of a regressor, one for numbers."""
        if cls is DriftRetraining and isinstance(learner, Regressor):
            return DriftRetrainingRegressor(learner, **options)
        return super().__new__(cls)

    def __init__(
        self, learner: Any = None, *, detector: Any = None, **common: Unpack[LabelledOptions]
    ) -> None:
        self._set_learner(learner, HoeffdingTreeClassifier, Classifier, common)
        self.detector = checked_detector(self, detector, errors=True)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return LabelEnsembleState([retrained(self, DDM)], n_jobs=1)
