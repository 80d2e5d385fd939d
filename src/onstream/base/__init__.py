"""The contract of a learner."""

from ..core.data_warning import DataWarning
from .errors import NotMergeable
from .learner import Classifier, Learner, Regressor
from .multilabel import MultilabelClassifier
from .part import Part
from .registry import learners, parts
from .unsupervised import Unsupervised

__all__ = [
    "Classifier",
    "DataWarning",
    "Learner",
    "MultilabelClassifier",
    "NotMergeable",
    "Part",
    "Regressor",
    "Unsupervised",
    "learners",
    "parts",
]
