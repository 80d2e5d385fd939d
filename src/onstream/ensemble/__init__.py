"""Learners made of learners: bagging, boosting and forests."""

from ..base.registry import register_family
from .adaptive_random_forest_classifier import AdaptiveRandomForestClassifier
from .adaptive_random_forest_regressor import AdaptiveRandomForestRegressor
from .adwin_boosting import ADWINBoosting
from .drift_retraining import DriftRetraining
from .drift_retraining_regressor import DriftRetrainingRegressor
from .leveraging_bagging import LeveragingBagging
from .online_bagging import OnlineBagging
from .online_bagging_regressor import OnlineBaggingRegressor
from .streaming_gradient_boosting_classifier import StreamingGradientBoostingClassifier
from .streaming_gradient_boosting_regressor import StreamingGradientBoostingRegressor
from .streaming_random_patches_classifier import StreamingRandomPatchesClassifier

__all__ = [
    "ADWINBoosting",
    "AdaptiveRandomForestClassifier",
    "AdaptiveRandomForestRegressor",
    "DriftRetraining",
    "DriftRetrainingRegressor",
    "LeveragingBagging",
    "OnlineBagging",
    "OnlineBaggingRegressor",
    "StreamingGradientBoostingClassifier",
    "StreamingGradientBoostingRegressor",
    "StreamingRandomPatchesClassifier",
]

register_family(globals())
