"""Online model selection: which learner, which parameters, while the stream goes on."""

from ..base.registry import register_family
from .evolving_classifier import EvolvingClassifier
from .evolving_regressor import EvolvingRegressor
from .plot import plot_history
from .space import Chain, LogRange, Range, Vary

__all__ = [
    "Chain",
    "EvolvingClassifier",
    "EvolvingRegressor",
    "LogRange",
    "Range",
    "Vary",
    "plot_history",
]

register_family(globals())
