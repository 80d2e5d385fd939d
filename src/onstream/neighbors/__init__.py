"""Nearest neighbours over a window of the latest examples."""

from ..base.registry import register_family
from .knn_adwin_classifier import KNNADWINClassifier
from .knn_classifier import KNNClassifier
from .knn_regressor import KNNRegressor

__all__ = ["KNNADWINClassifier", "KNNClassifier", "KNNRegressor"]

register_family(globals())
