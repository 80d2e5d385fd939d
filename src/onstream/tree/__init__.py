"""Trees that grow with the stream."""

from ..base.registry import register
from .batch_tree import BatchTree
from .cvfdt import CVFDT
from .extremely_fast_tree import ExtremelyFastDecisionTree
from .hoeffding_adaptive_tree import HAT, HoeffdingAdaptiveTreeClassifier
from .hoeffding_tree import VFDT, HoeffdingTreeClassifier
from .hoeffding_tree_regressor import HoeffdingTreeRegressor

__all__ = [
    "CVFDT",
    "HAT",
    "VFDT",
    "BatchTree",
    "ExtremelyFastDecisionTree",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "HoeffdingTreeRegressor",
]

register(
    CVFDT,
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)
