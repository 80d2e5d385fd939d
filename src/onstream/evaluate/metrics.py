"""Metrics over a stream: all of it, its last examples, or with fading memory."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar, Self, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import choice, number, whole
from ._confusion import Confusion
from ._ranking import Ranking
from ._sums import LogLossSum, Residuals
from .columns import number_column, plain_label, probability, score, true_labels, weight_column
from .metric import Metric

Floats: TypeAlias = NDArray[np.float64]


class SumOptions(TypedDict, total=False):
    """Parameters that all metrics here share."""

    window: int | None
    alpha: float | None


class OfSums(Metric):
    """What the metrics here share: formulas over sums that several of them can use.

    Parameters
    ----------
    window : int > 0, optional
        Only the last `window` examples count, as if the stream had begun with them.
    alpha : float in (0, 1], optional
        All sums are multiplied by this before an example is added: 0.999 remembers about 1,000
        examples. Lower it to forget sooner.
    """

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
        """The metric, from such sums."""

    def _title(self, sums: Any) -> str:
        """What it is called, over such sums."""
        return self.name

    @property
    def title(self) -> str:
        """What it is called, now that it has seen some examples: which label it judges."""
        return self._title(self._sums)

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
            raise self._refused(error) from None

    def update_many(self, y: ArrayLike, predictions: Any, w: ArrayLike | None = None) -> None:
        """The same for many examples: all of them, or, if one is refused, none."""
        try:
            self._sums.add_many(y, predictions, w)
        except (TypeError, ValueError) as error:
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> Exception:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        return kind(f"{self.name}: {error}")

    def merge(self, other: Self) -> None:
        """Absorb a metric of the same kind, as if its examples had come after ours."""
        if type(other) is not type(self) or other.params != self.params:
            raise ValueError(f"{self!r} cannot be merged with {other!r}.")
        try:
            self._sums.merge(deepcopy(other._sums) if other is self else other._sums)
        except (TypeError, ValueError) as error:
            raise self._refused(error) from None


class Accuracy(OfSums):
    """Share of examples whose label was predicted.

    >>> metric = Accuracy()
    >>> metric.update_many(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    >>> metric.value
    0.75
    """

    unit = "%"

    def _value(self, sums: Any) -> float:
        return float(sums.accuracy())


class ErrorRate(OfSums):
    """Share of examples whose label was not predicted: 1 - `Accuracy`."""

    unit = "%"
    best = "low"

    def _value(self, sums: Any) -> float:
        return 1.0 - float(sums.accuracy()) if sums.n else 0.0


class Kappa(OfSums):
    """Cohen's kappa: 0 is what chance gives that predicts labels as often, 1 is perfect."""

    def _value(self, sums: Any) -> float:
        return float(sums.kappa())


class _OverGuess(OfSums):
    """Against a guess that never looks at the features."""

    guesses = True

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


class BalancedAccuracy(OfSums):
    """Mean recall of the labels that occurred: rare labels count as much as common ones."""

    unit = "%"

    def _value(self, sums: Any) -> float:
        return float(sums.balanced())


class _OfLabels(OfSums):
    """Precision, recall and F1: of one label, or averaged over labels.

    Parameters
    ----------
    average : "auto", "binary", "macro", "micro" or "weighted", default "auto"
        "binary" judges the positive label alone; "macro" is the mean over the labels that
        occurred or were predicted, "weighted" the same weighted by how often they occurred,
        "micro" pools them. "auto" is "binary" while at most two labels have occurred, or if
        `positive` is given, otherwise "macro".
    positive : label, optional
        The label that is judged. By default True, the larger of two numbers, the later of two
        texts in sorted order, whichever came first; `title` says which it is.
    """

    what: ClassVar[str]
    unit = "%"

    def __init__(
        self, *, average: str = "auto", positive: Any = None, **common: Unpack[SumOptions]
    ) -> None:
        options = ("auto", "binary", "macro", "micro", "weighted")
        self.average = choice(self, "average", average, options)
        self.positive = None
        if positive is not None:
            if self.average not in ("auto", "binary"):
                raise ValueError(
                    f"{self.name}: positive={positive!r:.40} is for one label alone; "
                    f"leave out average={average!r}."
                )
            try:
                self.positive = plain_label(positive)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{self.name}: positive: {error}") from None
        super().__init__(**common)

    def _new(self, window: int, alpha: float) -> Any:
        sums = Confusion(window, alpha)
        if self.positive is not None:
            sums.label_codes.expect(self.positive)
        return sums

    @property
    def name(self) -> str:
        """What it is called, by its parameters."""
        average, positive = getattr(self, "average", "auto"), getattr(self, "positive", None)
        if positive is not None:
            return f"{type(self).__name__} of {positive!r:.40}"
        return type(self).__name__ + ("" if average == "auto" else f" ({average})")

    def _title(self, sums: Any) -> str:
        average, positive = sums.judged(self.average, self.positive)
        if average != "binary":
            return f"{type(self).__name__} ({average})"
        return self.name if positive is None else f"{type(self).__name__} of {positive!r:.40}"

    def _value(self, sums: Any) -> float:
        return float(sums.averaged(self.what, self.average, self.positive))


class Precision(_OfLabels):
    """Of the examples predicted to be positive, the share that is."""

    what = "precision"


class Recall(_OfLabels):
    """Of the examples that are positive, the share that was found."""

    what = "recall"


class F1(_OfLabels):
    """Harmonic mean of precision and recall."""

    what = "f1"


class _OfScores(OfSums):
    """Metrics of scores or probabilities: a number for each label."""

    def update_many(
        self,
        y: ArrayLike,
        predictions: Any,
        w: ArrayLike | None = None,
        labels: list[Any] | None = None,
    ) -> None:
        """Add many examples; `labels` names the columns of an array of scores or probabilities."""
        try:
            self._add(y, predictions, w, labels)
        except (TypeError, ValueError) as error:
            raise self._refused(error) from None

    @abstractmethod
    def _add(self, y: Any, predictions: Any, w: Any, labels: list[Any] | None) -> None:
        """The same; errors do not name the metric yet."""


class LogLoss(_OfScores):
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
        return LogLossSum(window, alpha)

    def _value(self, sums: Any) -> float:
        return float(sums.mean())

    def _add(self, y: Any, predictions: Any, w: Any, labels: list[Any] | None) -> None:
        known, truth, scores = scored_rows(y, predictions, labels, proba=True)
        if known is None:
            for row, label in enumerate(truth):
                check_zero_or_one(label, f"row {row}: ")
            known, scores = [1, 0], np.column_stack([scores, 1.0 - scores])
        weights = weight_column(w, len(truth))
        self._sums.add_columns(true_probability(known, truth, scores), weights)

    def update(self, y: Any, prediction: Any, w: float = 1.0) -> None:
        """Add one example: its label, the probabilities by label, and its importance."""
        try:
            if self._sums.add_plain(y, prediction, w):
                return
            truth = plain_label(y)
            if isinstance(prediction, Mapping):
                chances = scores_by_label(truth, prediction, probability)
                self._sums.add_one(truth, chances.get(truth, 0.0), w)
            else:
                chance = probability(prediction)
                check_zero_or_one(truth)
                self._sums.add_one(truth, chance if truth == 1 else 1.0 - chance, w)
        except (TypeError, ValueError) as error:
            raise self._refused(error) from None


class ROCAUC(_OfScores):
    """Area under the ROC curve: how often an example of a label scores above one of another.

    Exact over a `window`. Otherwise scores are counted in 1024 bins, and `error_bound` says how
    far the value may be from the exact one. With more than two labels it is the mean over labels,
    each against the rest.

    Predictions are decision values (above 0: the label coded +1) or dicts from labels
    to scores or probabilities; in `update_many` an array (rows,) or (rows, labels) with `labels`.

    Parameters
    ----------
    output : "score" or "proba", default "score"
        "proba" puts probabilities into bins as they are; scores of any size are squeezed first.
    """

    needs = "score"

    def __init__(self, *, output: str = "score", **common: Unpack[SumOptions]) -> None:
        self.output = choice(self, "output", output, ("score", "proba"))
        super().__init__(**common)

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
        try:
            if not self._sums.add_plain(y, prediction, w):
                self._add([y], [prediction], [w], None)
        except (TypeError, ValueError) as error:
            raise self._refused(type(error)(str(error).removeprefix("row 0: "))) from None

    def _add(self, y: Any, predictions: Any, w: Any, labels: list[Any] | None) -> None:
        known, truth, scores = scored_rows(y, predictions, labels, proba=self.output == "proba")
        weights = weight_column(w, len(truth))
        self._sums.check(known or [], truth)
        if weights is not None and not weights.all():  # rows of weight 0 have not happened
            heavy = weights > 0.0
            truth = [label for label, kept in zip(truth, heavy, strict=True) if kept]
            scores, weights = scores[heavy], weights[heavy]
        if not truth:
            return
        if known is None:
            self._sums.add_single(truth, scores, weights)
        else:
            self._sums.add_rows(known, truth, scores, weights)


class _OfNumbers(OfSums):
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


def scored_rows(
    y: Any, predictions: Any, labels: list[Any] | None, *, proba: bool
) -> tuple[list[Any] | None, list[Any], Floats]:
    """Labels of the columns, true labels, scores (rows, labels).

    No labels and scores (rows,) if there was one number an example.
    """
    truth = true_labels(y)
    if not hasattr(predictions, "__len__"):
        raise TypeError(f"the predictions must be as many as the rows, got {predictions!r:.60}.")
    if len(predictions) != len(truth):
        raise ValueError(f"y has {len(truth):,} rows, the predictions have {len(predictions):,}.")
    if labels is None and hasattr(predictions, "columns"):
        raise TypeError(
            "the predictions are a table; say what its columns are about: labels=[...], one each."
        )
    if labels is None and len(truth) and isinstance(next(iter(predictions)), Mapping):
        rows: list[dict[Any, float]] = []
        for number, (label, given) in enumerate(zip(truth, predictions, strict=True)):
            try:
                rows.append(scores_by_label(label, given, probability if proba else score))
            except (TypeError, ValueError) as error:
                raise type(error)(f"row {number}: {error}") from None
        known = list(dict.fromkeys(label for row in rows for label in row))
        absent = 0.0 if proba else math.nan
        scores = np.array([[row.get(label, absent) for label in known] for row in rows])
        return known, truth, scores.reshape(len(truth), len(known))
    if labels is None:
        scores = number_column(predictions, "a probability" if proba else "a score")
        if proba and not ((scores >= 0.0) & (scores <= 1.0 + 1e-9)).all():
            raise ValueError("a probability must lie between 0 and 1.")
        return None, truth, scores
    known = [plain_label(label) for label in labels]
    scores = np.asarray(predictions, dtype=np.float64)
    if scores.ndim != 2 or len(set(known)) != len(known) or scores.shape[1] != len(known):
        raise ValueError("labels must name the columns of the predictions, one each.")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite.")
    if proba and not ((scores >= 0.0) & (scores <= 1.0 + 1e-9)).all():
        raise ValueError("probabilities must lie between 0 and 1.")
    return known, truth, scores


def scores_by_label(y: Any, prediction: Any, check: Any) -> dict[Any, float]:
    """The scores or probabilities of one example, whose label is of their kind."""
    if not isinstance(prediction, Mapping):
        raise TypeError(
            f"the prediction must be a dict of labels, as the first, got {prediction!r:.60}."
        )
    scores = {plain_label(label): check(value) for label, value in prediction.items()}
    for label in scores:
        if isinstance(label, str) != isinstance(y, str):
            raise TypeError(f"y is {y!r:.60}, the prediction is about {label!r:.60}.")
        break
    return scores


def check_zero_or_one(y: Any, where: str = "") -> None:
    """Refuse a number as the prediction of a label other than 0 and 1."""
    if isinstance(y, str) or y not in (0, 1):
        raise ValueError(
            f"{where}one number is the probability of the label 1 or True; "
            f"for {y!r:.60} give a dict from labels to probabilities."
        )


def true_probability(labels: list[Any], truth: list[Any], scores: Floats) -> Floats:
    """What each row gives to its true label; 0 for a label without a column."""
    at = {label: i for i, label in enumerate(labels)}
    columns = np.array([at.get(label, len(labels)) for label in truth], dtype=np.intp)
    padded = np.concatenate([scores, np.zeros((len(scores), 1))], axis=1)
    return np.ascontiguousarray(padded[np.arange(len(truth)), columns])
