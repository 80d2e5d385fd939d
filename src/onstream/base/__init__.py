"""The contract of a learner."""

from ..core.data_warning import DataWarning
from .classifier import Classifier
from .errors import NotMergeable
from .learner import Learner
from .multilabel import MultilabelClassifier
from .part import Part
from .registry import learners, parts
from .regressor import Regressor
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
