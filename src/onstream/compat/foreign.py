"""Models of other libraries with the verbs of our learners, row by row."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.fit import fit
from ..core.coerce import coerce_weights
from ..core.frames import rows_of_table


class Foreign(ABC):
    """A model of another library as a learner: for `prequential`, streams and comparisons.

    It has no file format of ours: pickle it, or save `wrapped` as its library does.
    """

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

    def predict_learn_many(self, X: Any, y: Iterable[Any], w: Any = None) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned."""
        return column(self._run(X, y, w, self.predict_one))

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
        from .piped import Piped, PipedClassifier, PipedProbable

        if not isinstance(step, Transformer):
            return NotImplemented
        kind = Piped
        if hasattr(self, "labels"):
            kind = PipedProbable if hasattr(self, "predict_proba_one") else PipedClassifier
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
