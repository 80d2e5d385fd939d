"""Trees that grow with the stream."""

from ..base.registry import register
from .hoeffding_tree import VFDT, HoeffdingTreeClassifier

__all__ = ["VFDT", "HoeffdingTreeClassifier"]

register(HoeffdingTreeClassifier)
