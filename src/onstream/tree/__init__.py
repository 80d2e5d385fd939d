"""Trees that grow with the stream."""

from ..base.registry import register_family
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

register_family(globals(), parts=("BatchTree",))  # it does not grow, but files may hold it
