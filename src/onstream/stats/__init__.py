"""Statistics over streams: each in a few numbers, one value at a time."""

from ..base.registry import register_family
from .moments import EWMA, Count, Mean, Sum, Variance
from .order import Max, Min, Quantile, RollingMax, RollingMin
from .sketches import KLL, CountMin, FrequentItems, HyperLogLog, Reservoir

__all__ = [
    "EWMA",
    "KLL",
    "Count",
    "CountMin",
    "FrequentItems",
    "HyperLogLog",
    "Max",
    "Mean",
    "Min",
    "Quantile",
    "Reservoir",
    "RollingMax",
    "RollingMin",
    "Sum",
    "Variance",
]

register_family(globals())
