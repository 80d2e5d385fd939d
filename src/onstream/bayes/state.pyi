from ..base.classifier import ProbabilisticClassifier
from ..base.types import Example, Label

class NaiveBayes(ProbabilisticClassifier):
    prior_alpha: float
    max_labels: int
    def unlearn_one(self, x: Example, y: Label, w: float = 1.0) -> None: ...
