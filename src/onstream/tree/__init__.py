"""Trees that grow with the stream."""

from ..base.registry import register
from .cvfdt import CVFDT
from .extremely_fast_tree import ExtremelyFastDecisionTree
from .hoeffding_adaptive_tree import HAT, HoeffdingAdaptiveTreeClassifier
from .hoeffding_tree import VFDT, HoeffdingTreeClassifier

__all__ = [
    "CVFDT",
    "HAT",
    "VFDT",
    "ExtremelyFastDecisionTree",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
]

register(CVFDT, ExtremelyFastDecisionTree, HoeffdingAdaptiveTreeClassifier, HoeffdingTreeClassifier)
