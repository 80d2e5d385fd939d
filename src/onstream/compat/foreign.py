"""Models of other libraries with the verbs of our learners, row by row."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from types import MethodType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..base.fit import fit
from ..core.coerce import coerce_weights
from ..core.frames import rows_of_table

ASKING = {"label": "predict_one", "proba": "predict_proba_one", "score": "score_one"}


class Lent:
    """A verb that is there where the model inside can do it, so that `hasattr` tells."""

    def __init__(self, can: Callable[[Any], bool], verb: Callable[..., Any]) -> None:
        self.can, self.verb, self.__doc__ = can, verb, verb.__doc__

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self.verb
        if not self.can(owner):
            name = self.verb.__name__
            raise AttributeError(f"{type(owner).__name__}: {owner.wrapped!r:.60} has no {name}.")
        return MethodType(self.verb, owner)


def lent_if(can: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a verb that only some models have."""
    return lambda verb: Lent(can, verb)


def has(verb: str) -> Callable[[Any], bool]:
    """Say whether another verb is there."""
    return lambda owner: hasattr(owner, verb)


class Foreign(ABC):
    """A model of another library as a learner: for `prequential`, streams and comparisons.

    It has no file format of ours: pickle it, or save `wrapped` as its library does.
    """

    task: ClassVar[Literal["labels", "numbers"]]  # what it predicts
    labels: list[Any]  # of a classifier: those seen so far, or declared

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self.seen = 0

    @abstractmethod
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""

    @abstractmethod
    def predict_one(self, x: Any) -> Any:
        """The answer for one example."""

    @abstractmethod
    def clone(self) -> Self:
        """The same model without what it has learned."""

    def learn_many(self, X: Any, y: Iterable[Any], w: Any = None) -> None:
        """Learn row after row."""
        self._run(X, y, w, None)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The answer for every row."""
        return column([self.predict_one(x) for x in self._rows(X)])

    @lent_if(has("predict_proba_one"))
    def predict_proba_many(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of every row, in the order of `labels`."""
        ask = getattr(self, ASKING["proba"])
        return by_label([ask(x) for x in self._rows(X)], self.labels, 0.0)

    @lent_if(has("score_one"))
    def score_many(self, X: Any) -> NDArray[np.float64]:
        """Scores of every row: one for two labels, else in the order of `labels`."""
        ask = getattr(self, ASKING["score"])
        return as_scores([ask(x) for x in self._rows(X)], self.labels)

    def predict_learn_many(
        self,
        X: Any,
        y: Iterable[Any],
        w: Any = None,
        output: Literal["label", "proba", "score"] = "label",
    ) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned.

        `output` is "label", or what the model has of "proba" and "score", as columns in the order
        of `labels` after the last row.
        """
        who = type(self).__name__
        if output not in ASKING:
            raise ValueError(f"{who}: output must be 'label', 'proba' or 'score', got {output!r}.")
        if self.task == "numbers" and output == "score":
            output = "label"  # the same
        ask = getattr(self, ASKING[output], None)
        if ask is None:
            raise ValueError(f"{who}: {self.wrapped!r:.60} has no {ASKING[output]}.")
        if output == "label":
            return column(self._run(X, y, w, ask))
        if output == "proba":
            return by_label(self._run(X, y, w, ask), self.labels, 0.0)
        said = self._run(X, y, w, lambda x: np.nan if self._knows_nothing else ask(x))
        return as_scores(said, self.labels)

    @property
    def _knows_nothing(self) -> bool:
        """Say whether it has learned nothing, here or before."""
        return self.seen == 0

    def fit(
        self,
        X: Any,
        y: Any = None,
        w: Any = None,
        *,
        epochs: int = 1,
        shuffle: bool = True,
        seed: int = 0,
    ) -> Self:
        """Go over a block `(X, y)`, or a stream, `epochs` times."""
        fit(self, X, y, w, epochs, shuffle, seed)
        return self

    def _rows(self, X: Any) -> list[Any]:
        """The examples of a block."""
        return rows_of(self, X)

    def _run(self, X: Any, y: Iterable[Any], w: Any, ask: Any) -> list[Any]:
        rows, targets = self._rows(X), [plain(value) for value in y]
        weights = coerce_weights(type(self).__name__, w)
        weights = np.ones(len(rows)) if weights is None else weights
        answers = []
        for x, target, weight in zip(rows, targets, weights.tolist(), strict=True):
            if ask is not None:
                answers.append(ask(x))
            self.learn_one(x, target, weight)
        return answers

    def __ror__(self, step: Any) -> Any:
        """`StandardScaler() | model`: the same with steps of ours before it."""
        from ..features import Pipeline, Transformer
        from .piped import Piped, PipedClassifier

        if not isinstance(step, Transformer):
            return NotImplemented
        kind = PipedClassifier if self.task == "labels" else Piped
        return kind(step.members if isinstance(step, Pipeline) else [step], self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wrapped!r})"


def rows_of(owner: object, X: Any) -> list[dict[Any, Any]]:
    """The rows as dicts: of a frame by the names of its columns, of an array 0, 1, 2 and so on."""
    if not are_numbered(X):
        if isinstance(X, list):
            return [dict(row) for row in X]
        return rows_of_table(type(owner).__name__, X)[1]
    if hasattr(X, "toarray"):
        X = X.toarray()
    return [dict(enumerate(row)) for row in np.asarray(X).tolist()]


def are_numbered(X: Any) -> bool:
    """Say whether the columns of a block have no names: neither a frame nor mappings."""
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
        return False
    return not (isinstance(X, list) and all(isinstance(row, Mapping) for row in X))


def example_of(x: Any) -> dict[Any, Any]:
    """One example as a dict."""
    return dict(x) if isinstance(x, Mapping) else dict(enumerate(np.asarray(x).tolist()))


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def column(answers: list[Any]) -> NDArray[Any]:
    """Answers as an array; of objects, if one of them is missing."""
    return np.array(answers, dtype=object if any(a is None for a in answers) else None)


def by_label(said: list[Any], labels: list[Any], absent: float) -> NDArray[np.float64]:
    """Dicts from labels to numbers as columns in the order of the labels."""
    rows = [[row.get(label, absent) for label in labels] for row in said]
    return np.array(rows, dtype=np.float64).reshape(len(said), len(labels))


def as_scores(said: list[Any], labels: list[Any]) -> NDArray[np.float64]:
    """Scores as an array: one column for each label, unless there are at most two."""
    if len(labels) <= 2:
        return np.array(said, dtype=np.float64)
    return by_label([row if isinstance(row, dict) else {} for row in said], labels, np.nan)
