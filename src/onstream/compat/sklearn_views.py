"""What trained estimators show of their learner, in the words and shapes of scikit-learn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bayes import BayesianLinearRegression
from ..core.coding import first_sign
from ..linear.base import LinearClassifier, LinearRegressor

LINEAR = (LinearClassifier, LinearRegressor, BayesianLinearRegression)


class Views:
    """Attributes that are there if the learner has them: SelectFromModel and RFE ask for them."""

    model_: Any
    classes_: NDArray[Any]

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of a linear learner: (1, d) or (k, d) of classes, (d,) of a regressor."""
        weights = linear(self, "coef_").weights
        if not hasattr(self, "classes_"):
            return by_column(self, weights)
        if len(self.classes_) > 2:
            return np.array([by_column(self, weights[label]) for label in known_classes(self)])
        return positive_sign(self) * by_column(self, weights)[np.newaxis]

    @property
    def intercept_(self) -> Any:
        """The constant of a linear learner: an array (1,) or (k,) of classes, else a number."""
        bias = linear(self, "intercept_").bias
        if not hasattr(self, "classes_"):
            return float(bias)
        if len(self.classes_) > 2:
            return np.array([bias[label] for label in known_classes(self)])
        return positive_sign(self) * np.array([bias])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Shares of the columns in what trees have gained."""
        return by_column(self, seen(self, "feature_importances_").feature_importances)


def seen(estimator: Any, view: str) -> Any:
    """The learner, if it was trained."""
    if not hasattr(estimator, "model_"):
        raise AttributeError(f"{type(estimator).__name__}: {view} comes with fit.")
    return estimator.model_


def linear(estimator: Any, view: str) -> Any:
    """The same, if it has one weight for each column."""
    model = seen(estimator, view)
    if not isinstance(model, LINEAR) or getattr(model, "hash_bits", None) is not None:
        raise AttributeError(f"{type(estimator).__name__} has no {view}: no weights of columns.")
    return model


def by_column(estimator: Any, values: dict[Any, float]) -> NDArray[np.float64]:
    """Values by the name of the feature, as a row; 0 of what the learner never met."""
    names = getattr(estimator, "feature_names_in_", None)
    columns = range(estimator.n_features_in_) if names is None else names
    known = {str(name): value for name, value in values.items()}
    return np.array([known.get(str(name), 0.0) for name in columns], dtype=np.float64)


def known_classes(estimator: Any) -> list[Any]:
    """The classes in their order, as the learner calls them."""
    return list(labels_of(estimator.classes_).tolist())


def positive_sign(estimator: Any) -> float:
    """1 if a positive score of the learner is for the second class, else -1."""
    labels = estimator.model_.labels
    positive = labels[0] if first_sign(labels) > 0.0 else labels[-1]
    return 1.0 if positive == known_classes(estimator)[-1] else -1.0


def labels_of(y: NDArray[Any]) -> NDArray[Any]:
    """The labels as learners take them: whole numbers that come as floats become ints."""
    return y.astype(np.int64) if y.dtype.kind == "f" else y
