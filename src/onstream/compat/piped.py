"""Our steps before a model of another library: `StandardScaler() | from_river(model)`."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

from ..features import Transformer
from .foreign import Foreign, example_of, has, lent_if


class Piped(Foreign):
    """Steps of ours that learn and transform each example, then the other library's model."""

    task: ClassVar[Literal["labels", "numbers"]] = "numbers"

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

    @property
    def params(self) -> dict[str, Any]:
        """The steps and the model, by name."""
        return {"steps": [step.clone() for step in self.steps], "last": self.last.clone()}

    @property
    def memory_bytes(self) -> int:
        """Bytes held by the steps and the model, if its library can tell."""
        return sum(step.memory_bytes for step in self.steps) + int(self.last.memory_bytes)

    @property
    def _knows_nothing(self) -> bool:
        return bool(self.last._knows_nothing)

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


def can(verb: str) -> Callable[[Any], bool]:
    """Say whether the model has a verb."""
    return lambda piped: has(verb)(piped.last)


class PipedClassifier(Piped):
    """The same before a classifier."""

    task = "labels"

    @property
    def labels(self) -> list[Any]:  # type: ignore[override]
        """The labels seen so far, or declared."""
        return list(self.last.labels)

    @lent_if(can("predict_proba_one"))
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Label to probability."""
        return dict(self.last.predict_proba_one(self._transformed(x)))

    @lent_if(can("score_one"))
    def score_one(self, x: Any) -> Any:
        """The score of one example."""
        return self.last.score_one(self._transformed(x))
