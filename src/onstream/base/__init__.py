"""The contract of a learner."""

from .errors import NotMergeable
from .learner import Classifier, Learner, Regressor
from .registry import learners

__all__ = ["Classifier", "Learner", "NotMergeable", "Regressor", "learners"]
