"""Nearest neighbours over a window of the latest examples."""

from ..base.registry import register
from .knn import KNNADWINClassifier, KNNClassifier, KNNRegressor

__all__ = ["KNNADWINClassifier", "KNNClassifier", "KNNRegressor"]

register(KNNADWINClassifier, KNNClassifier, KNNRegressor)
