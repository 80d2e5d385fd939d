"""Metrics over a stream: all of it, its last examples, or with fading memory."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import SaysNames, choice, number, whole
from .confusion import Confusion
from .ranking import Ranking
from .sums import Residuals, Surprise, checked_weights

Floats: TypeAlias = NDArray[np.float64]


class Metric(SaysNames, ABC):
    """What all metrics share.

    Parameters
    ----------
    window : int > 0, optional
        Only the last so many examples count, as if the stream had begun with them.
    alpha : float in (0, 1], optional
        All sums are multiplied by this before an example is added: 0.999 remembers about 1,000
        examples. Lower it to forget sooner.
    """

    needs: ClassVar[str] = "label"  # what a prediction is: "label", "proba", "score", "number"
    best: ClassVar[str] = "high"  # or "low"
    unit: ClassVar[str] = ""

    def __init__(self, *, window: int | None = None, alpha: float | None = None) -> None:
        if window is not None and alpha is not None:
            raise ValueError(f"{self.name}: window and alpha exclude each other; give one.")
        self.window = None if window is None else whole(self, "window", window, least=1)
        self.alpha = None if alpha is None else number(self, "alpha", alpha, above=0.0, most=1.0)
        self._sums = self._new(self.window or 0, 1.0 if self.alpha is None else self.alpha)

    def _new(self, window: int, alpha: float) -> Any:
        """Sums that this metric can be computed from."""
        return Confusion(window, alpha)

    @abstractmethod
    def _value(self, sums: Any) -> float:
        """The metric, from its sums."""

    @property
    def name(self) -> str:
        """What it is called."""
        return type(self).__name__

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"window": self.window, "alpha": self.alpha}

    def clone(self, **changes: Any) -> Self:
        """A metric with the same parameters, but for `changes`, that has seen nothing."""
        return type(self)(**{**self.params, **changes})

    @property
    def n(self) -> int:
        """Examples that were added; those of weight 0 do not count."""
        return int(self._sums.n)

    @property
    def value(self) -> float:
        """The metric so far; 0.0 before any example."""
        return float(self._value(self._sums))

    def update(self, y: Any, prediction: Any, w: float = 1.0) -> None:
        """Add one example: what was true, what was predicted, and its importance."""
        try:
            self._sums.add_one(y, prediction, w)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None

    def update_many(self, y: ArrayLike, predictions: Any, w: ArrayLike | None = None) -> None:
        """The same for many examples: all of them, or, if one is refused, none."""
        try:
            self._sums.add_many(y, predictions, w)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None

    def merge(self, other: Self) -> None:
        """Absorb a metric of the same kind, as if its examples had come after ours."""
        if type(other) is not type(self) or other.params != self.params:
            raise ValueError(f"{self!r} cannot be merged with {other!r}.")
        self._sums.merge(other._sums)

    def __repr__(self) -> str:
        fresh = type(self)().params
        told = (f"{name}={value!r}" for name, value in self.params.items() if value != fresh[name])
        return f"{self.name}({', '.join(told)})"


class Accuracy(Metric):
    """Share of examples whose label was predicted.

    >>> metric = Accuracy()
    >>> metric.update_many(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    >>> metric.value
    0.75
    """

    unit = "%"

    def _value(self, sums: Any) -> float:
        return float(sums.accuracy())


class ErrorRate(Metric):
    """Share of examples whose label was not predicted: 1 - `Accuracy`."""

    unit = "%"
    best = "low"

    def _value(self, sums: Any) -> float:
        return 1.0 - float(sums.accuracy()) if sums.n else 0.0


class Kappa(Metric):
    """Cohen's kappa: 0 is what chance gives that predicts labels as often, 1 is perfect."""

    def _value(self, sums: Any) -> float:
        return float(sums.kappa())


class _OverGuess(Metric):
    """Against a guess that never looks at the features."""

    def _new(self, window: int, alpha: float) -> Any:
        return Confusion(window, alpha, True)


class KappaT(_OverGuess):
    """Kappa temporal: 0 is what "the same label as before" reaches (Žliobaitė et al. 2015)."""

    def _value(self, sums: Any) -> float:
        return float(sums.kappa_t())


class KappaM(_OverGuess):
    """Kappa M: 0 is what "the commonest label so far" reaches (Bifet et al. 2015)."""

    def _value(self, sums: Any) -> float:
        return float(sums.kappa_m())


class BalancedAccuracy(Metric):
    """Mean recall of the labels that occurred: rare labels count as much as common ones."""

    unit = "%"

    def _value(self, sums: Any) -> float:
        return float(sums.balanced())


class _OfLabels(Metric):
    """Precision, recall and F1: of one label, or averaged over labels.

    Parameters
    ----------
    average : "auto", "binary", "macro", "micro" or "weighted", default "auto"
        "binary" judges the positive label alone. "macro" is the mean over the labels that
        occurred or were predicted, "weighted" the same weighted by how often they occurred,
        "micro" pools all labels. "auto" is "binary" up to two labels and "macro" beyond.
    positive : label, optional
        The positive label. By default the one coded +1: True or 1 if it came first, else the
        second label.
    window, alpha
        As for every metric.
    """

    what: ClassVar[str]
    unit = "%"

    def __init__(
        self,
        *,
        average: str = "auto",
        positive: Any = None,
        window: int | None = None,
        alpha: float | None = None,
    ) -> None:
        super().__init__(window=window, alpha=alpha)
        options = ("auto", "binary", "macro", "micro", "weighted")
        self.average = choice(self, "average", average, options)
        self.positive = positive

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"average": self.average, "positive": self.positive, **super().params}

    @property
    def name(self) -> str:
        """What it is called."""
        average = getattr(self, "average", "auto")
        return type(self).__name__ + ("" if average == "auto" else f" ({average})")

    def _value(self, sums: Any) -> float:
        return float(sums.averaged(self.what, self.average, self.positive))


class Precision(_OfLabels):
    """Of the examples predicted to be positive, the share that is.

    Parameters
    ----------
    average : "auto", "binary", "macro", "micro" or "weighted", default "auto"
        "binary" judges the positive label alone; "macro" is the mean over labels, "weighted" the
        same weighted by how often they occurred, "micro" pools them. "auto" is "binary" up to two
        labels and "macro" beyond.
    positive : label, optional
        By default the one coded +1: True or 1 if it came first, else the second label.
    window, alpha
        As for every metric.
    """

    what = "precision"


class Recall(_OfLabels):
    """Of the examples that are positive, the share that was found. Parameters: `Precision`."""

    what = "recall"


class F1(_OfLabels):
    """Harmonic mean of precision and recall. Parameters: see `Precision`."""

    what = "f1"


class LogLoss(Metric):
    """Mean of -ln(probability that was given to the true label), at least 1e-15.

    Predictions are dicts from labels to probabilities; in `update_many` an array (rows, labels)
    with `labels` naming the columns. One number is the probability of the label 1 or True.

    >>> metric = LogLoss()
    >>> metric.update("spam", {"spam": 0.5, "ham": 0.5})
    >>> metric.value
    0.6931471805599453
    """

    needs = "proba"
    best = "low"
    unit = "nats"

    def _new(self, window: int, alpha: float) -> Any:
        return Surprise(window, alpha)

    def _value(self, sums: Any) -> float:
        return float(sums.mean())

    def update_many(
        self,
        y: ArrayLike,
        predictions: Any,
        w: ArrayLike | None = None,
        labels: list[Any] | None = None,
    ) -> None:
        """Add many examples; `labels` names the columns of an array of probabilities."""
        try:
            labels, truth, scores = scored_rows(y, predictions, labels, proba=True)
            if labels is None:
                labels, scores = [1, 0], np.column_stack([scores, 1.0 - scores])
            self._sums.add_columns(
                true_probability(labels, truth, scores), checked_weights(w, len(truth))
            )
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None

    def update(self, y: Any, prediction: Any, w: float = 1.0) -> None:
        """Add one example: its label, the probabilities by label, and its importance."""
        if not isinstance(prediction, Mapping):
            prediction = {1: prediction, 0: 1.0 - prediction}
        super().update(y, prediction, w)


class ROCAUC(Metric):
    """Area under the ROC curve: how often an example of a label scores above one of another.

    Exact over a `window`. Otherwise scores are counted in 1024 bins, and `error_bound` says how
    far the value may be from the exact one. With more than two labels it is the mean over labels,
    each against the rest.

    Predictions are decision values (positive speaks for the label coded +1) or dicts from labels
    to scores or probabilities; in `update_many` an array (rows,) or (rows, labels) with `labels`.

    Parameters
    ----------
    output : "score" or "proba", default "score"
        "proba" puts probabilities into bins as they are; scores of any size are squeezed first.
    window, alpha
        As for every metric.
    """

    needs = "score"

    def __init__(
        self, *, output: str = "score", window: int | None = None, alpha: float | None = None
    ) -> None:
        self.output = choice(self, "output", output, ("score", "proba"))
        super().__init__(window=window, alpha=alpha)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"output": self.output, **super().params}

    def _new(self, window: int, alpha: float) -> Any:
        return Ranking(window, alpha, self.output == "proba")

    def _value(self, sums: Any) -> float:
        return float(sums.area())

    @property
    def error_bound(self) -> float:
        """The exact area is at most so far from `value`."""
        return float(self._sums.error_bound())

    def update(self, y: Any, prediction: Any, w: float = 1.0) -> None:
        """Add one example: what was true, its score, and its importance."""
        self.update_many([y], [prediction], [w])

    def update_many(
        self,
        y: ArrayLike,
        predictions: Any,
        w: ArrayLike | None = None,
        labels: list[Any] | None = None,
    ) -> None:
        """Add many examples; `labels` names the columns of an array of scores."""
        try:
            labels, truth, scores = scored_rows(
                y, predictions, labels, proba=self.output == "proba"
            )
            weights = checked_weights(w, len(truth))
            if labels is None:
                self._sums.add_single(truth, scores, weights)
            else:
                self._sums.add_rows(labels, truth, scores, weights)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None


class _OfNumbers(Metric):
    needs = "number"
    best = "low"

    def _new(self, window: int, alpha: float) -> Any:
        return Residuals(window, alpha)


class MAE(_OfNumbers):
    """Mean absolute error, in the unit of the target."""

    def _value(self, sums: Any) -> float:
        return float(sums.mae())


class RMSE(_OfNumbers):
    """Root of the mean squared error, in the unit of the target."""

    def _value(self, sums: Any) -> float:
        return math.sqrt(sums.mse())


class R2(_OfNumbers):
    """Share of the variance that is explained: 1 is perfect, 0 as good as the mean.

    >>> metric = R2()
    >>> metric.update_many([1.0, 2.0, 3.0], [1.1, 1.9, 3.0])
    >>> round(metric.value, 6)
    0.99
    """

    best = "high"

    def _value(self, sums: Any) -> float:
        return float(sums.r2())


def plain_label(y: Any) -> Any:
    """A label as Python's own object."""
    if isinstance(y, np.generic):
        y = y.item()
    return int(y) if isinstance(y, float) and y.is_integer() else y


def scored_rows(
    y: Any, predictions: Any, labels: list[Any] | None, *, proba: bool
) -> tuple[list[Any] | None, list[Any], Floats]:
    """Labels of the columns, true labels, scores (rows, labels).

    No labels and scores (rows,) if there was one number an example.
    """
    truth = [plain_label(label) for label in (y.tolist() if isinstance(y, np.ndarray) else y)]
    if len(predictions) != len(truth):
        raise ValueError(f"y has {len(truth):,} rows, the predictions have {len(predictions):,}.")
    if len(truth) and isinstance(predictions[0], Mapping):
        rows = [{plain_label(label): s for label, s in row.items()} for row in predictions]
        labels = list(dict.fromkeys(label for row in rows for label in row))
        absent = 0.0 if proba else math.nan
        scores = np.array([[row.get(label, absent) for label in labels] for row in rows])
        scores = scores.reshape(len(truth), len(labels))
    else:
        scores = np.asarray(predictions, dtype=np.float64)
    if np.isinf(scores).any():
        raise ValueError("scores must be finite.")
    if proba and not ((scores >= 0.0) & (scores <= 1.0 + 1e-9)).all():
        raise ValueError("probabilities must lie between 0 and 1.")
    if scores.ndim == 1 and labels is None:
        return None, truth, scores
    if scores.ndim != 2 or labels is None or scores.shape[1] != len(labels):
        raise ValueError("labels must name the columns of the predictions, one each.")
    return labels, truth, scores


def true_probability(
    labels: list[Any], truth: list[Any], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each row gives to its true label; 0 for a label without a column."""
    at = {label: i for i, label in enumerate(labels)}
    columns = np.array([at.get(label, len(labels)) for label in truth], dtype=np.intp)
    padded = np.concatenate([scores, np.zeros((len(scores), 1))], axis=1)
    return np.ascontiguousarray(padded[np.arange(len(truth)), columns])
