"""Trees that grow with the stream."""

from ..base.registry import register, register_parts
from .batch_tree import BatchTree
from .cvfdt import CVFDT
from .extremely_fast_decision_tree import EFDT, ExtremelyFastDecisionTree
from .hoeffding_adaptive_tree_classifier import HAT, HoeffdingAdaptiveTreeClassifier
from .hoeffding_tree_classifier import VFDT, HoeffdingTreeClassifier
from .hoeffding_tree_regressor import HoeffdingTreeRegressor

__all__ = [
    "CVFDT",
    "EFDT",
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
register_parts(BatchTree)  # it does not grow with the stream, but files may hold it
