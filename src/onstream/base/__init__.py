"""The contract of a learner."""

from .errors import NotMergeable
from .learner import Classifier, Learner, Regressor
from .part import Part
from .registry import learners, parts

__all__ = ["Classifier", "Learner", "NotMergeable", "Part", "Regressor", "learners", "parts"]
