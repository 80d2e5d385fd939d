"""Estimators of scikit-learn with `partial_fit` as learners."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..core.coding import first_sign
from .foreign import Foreign, are_numbered, example_of, lent_if, plain, rows_of


class Scikit(Foreign):
    """An estimator whose columns are fixed: by a frame it was fitted to, or the first example."""

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped)
        names = getattr(wrapped, "feature_names_in_", None)
        self.columns = None if names is None else places(names.tolist())
        self.width = getattr(wrapped, "n_features_in_", None)  # if it came fitted
        if names is not None:
            del wrapped.feature_names_in_  # rows come as arrays: it would warn of each

    @property
    def _knows_nothing(self) -> bool:
        return not self.columns and self.width is None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the estimator, by name."""
        return dict(self.wrapped.get_params(deep=False))

    def _rows(self, X: Any) -> list[Any]:
        """Rows of arrays as they are: they have places, not names."""
        rows = rows_of(self, X)
        return [list(row.values()) for row in rows] if are_numbered(X) else rows

    def _row(self, x: Any, learning: bool) -> NDArray[np.float64]:
        columns = self.columns
        example = {str(name): value for name, value in example_of(x).items()}  # 3 is "3"
        if columns is None and self.width is not None:  # it was fitted to an array
            columns = places(range(self.width))
        fits = columns is not None and len(example) == len(columns)
        if columns and fits and not isinstance(x, Mapping) and example.keys() != columns.keys():
            return np.array([list(example.values())], dtype=np.float64)  # by place
        if learning and self.columns is None:
            self.columns = columns = places(example) if columns is None else columns
        if columns is None:
            return np.zeros((1, 0))
        if example and not example.keys() & columns.keys():
            raise ValueError(
                f"{type(self).__name__}: no feature of the example is known: it has "
                f"{list(example)!r:.60}, {type(self.wrapped).__name__} learned "
                f"{list(columns)!r:.60}. Give mappings with these names, or rows of "
                f"{len(columns)} numbers in this order."
            )
        row = np.zeros((1, len(columns)))
        for name, value in example.items():
            place = columns.get(name)
            if place is None:
                if learning:
                    raise ValueError(
                        f"{type(self).__name__}: feature {name!r:.60} was not there at first; "
                        f"{type(self.wrapped).__name__} has a fixed number of columns. "
                        f"Hash them: FeatureHasher(hash_bits=10).transform_one(x)."
                    )
                continue
            row[0, place] = value
        return row

    def _learn(self, x: Any, y: list[Any], w: float, **more: Any) -> None:
        if w != 1.0:
            more["sample_weight"] = [w]
        before = self.columns
        try:
            self.wrapped.partial_fit(self._row(x, True), y, **more)
        except Exception:
            self.columns = before  # those of an example that was refused are forgotten
            raise
        self.seen += 1


def places(names: Iterable[Any]) -> dict[Any, int]:
    """Name to its column."""
    return {str(name): i for i, name in enumerate(names)}


class ScikitClassifier(Scikit):
    """A classifier of scikit-learn."""

    task = "labels"

    def __init__(self, wrapped: Any, labels: list[Any] | None = None) -> None:
        super().__init__(wrapped)
        known = getattr(wrapped, "classes_", None) if labels is None else labels
        if known is None:
            raise ValueError(
                f"from_sklearn: {type(wrapped).__name__} must know its labels before it learns: "
                f"from_sklearn(estimator, labels=[…])."
            )
        self.labels = [plain(label) for label in known]

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""
        if plain(y) not in self.labels:
            raise ValueError(
                f"{type(self).__name__}: label {y!r:.60} was not declared; it must be among "
                f"labels={self.labels!r:.80}."
            )
        self._learn(x, [y], w, classes=np.unique(self.labels))

    def predict_one(self, x: Any) -> Any:
        """The label; None before any data."""
        return None if self._knows_nothing else plain(self.wrapped.predict(self._row(x, False))[0])

    def clone(self) -> Self:
        """The same estimator, not fitted."""
        return type(self)(clone(self.wrapped), list(self.labels))

    @lent_if(lambda self: hasattr(self.wrapped, "decision_function"))
    def score_one(self, x: Any) -> Any:
        """The score: of two labels one number, positive for the one coded +1; else of each."""
        two = len(self.labels) == 2
        if self._knows_nothing:
            return 0.0 if two else dict.fromkeys(self.labels, 0.0)
        found = self.wrapped.decision_function(self._row(x, False))[0]
        classes = self.wrapped.classes_.tolist()
        if not two:
            return dict(zip(classes, found.tolist(), strict=True))
        first = float(found) if classes[1] == self.labels[0] else -float(found)  # of labels[0]
        return first_sign(self.labels) * first

    @lent_if(lambda self: hasattr(self.wrapped, "predict_proba"))
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Label to probability; empty before any data."""
        if self._knows_nothing:
            return {}
        found = self.wrapped.predict_proba(self._row(x, False))[0]
        return dict(zip(self.wrapped.classes_.tolist(), found.tolist(), strict=True))


class ScikitRegressor(Scikit):
    """A regressor of scikit-learn."""

    task = "numbers"

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Learn one example."""
        self._learn(x, [y], w)

    def predict_one(self, x: Any) -> float:
        """The prediction; 0.0 before any data."""
        return 0.0 if self._knows_nothing else float(self.wrapped.predict(self._row(x, False))[0])

    def clone(self) -> Self:
        """The same estimator, not fitted."""
        return type(self)(clone(self.wrapped))
