"""Our steps before a model of another library: `StandardScaler() | from_river(model)`."""

from typing import Any, Self

from ..features import Transformer
from .foreign import Foreign, example_of


class Piped(Foreign):
    """Steps of ours that learn and transform each example, then the other library's model."""

    def __init__(self, steps: list[Transformer], last: Any) -> None:
        self.steps, self.last = steps, last  # `seen` and the labels are those of the model

    @property
    def wrapped(self) -> Any:
        """The model of the other library."""
        return self.last.wrapped

    @property
    def seen(self) -> int:  # type: ignore[override]
        """Examples learned."""
        return int(self.last.seen)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example. The steps go first: they keep it even if the model refuses it."""
        told = example_of(x)
        for step in self.steps:
            step.learn_one(told, w)
            told = step.transform_one(told)
        self.last.learn_one(told, y, w)

    def _transformed(self, x: Any) -> Any:
        told = example_of(x)
        for step in self.steps:
            told = step.transform_one(told)
        return told

    def predict_one(self, x: Any) -> Any:
        """The answer for one example."""
        return self.last.predict_one(self._transformed(x))

    def clone(self) -> Self:
        """The same without what it has learned."""
        return type(self)([step.clone() for step in self.steps], self.last.clone())

    def __repr__(self) -> str:
        return f"Piped({', '.join(map(repr, [*self.steps, self.last]))})"


class PipedClassifier(Piped):
    """The same before a classifier."""

    @property
    def labels(self) -> list[Any]:
        """The labels seen so far, or declared."""
        return list(self.last.labels)


class PipedProbable(PipedClassifier):
    """The same before a classifier with probabilities."""

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Label to probability."""
        return dict(self.last.predict_proba_one(self._transformed(x)))
