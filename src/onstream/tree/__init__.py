"""Trees that grow with the stream."""

from ..base.registry import register
from .hoeffding_adaptive_tree import HAT, HoeffdingAdaptiveTreeClassifier
from .hoeffding_tree import VFDT, HoeffdingTreeClassifier

__all__ = [
    "HAT",
    "VFDT",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
]

register(HoeffdingAdaptiveTreeClassifier, HoeffdingTreeClassifier)
