"""A learner of labels."""

from collections.abc import Iterable
from typing import Any, Literal, Unpack

from numpy.typing import ArrayLike, NDArray

from ..core.classifier import ClassifierModel
from ._learner import OUTPUTS, ClassifierVerbs, ProbabilisticVerbs
from .checks import whole
from .learner import Learner, LearnerOptions, handed_out, kept_as
from .parameters import parameters, suggest_parameters
from .types import Label, Rows


class LabelledOptions(LearnerOptions, total=False):
    """Parameters of every learner with labels."""

    labels: Iterable[Label] | None
    max_labels: int


class Labelled(Learner):
    """What learners with labels share, be it one for each example or a set.

    Parameters
    ----------
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    """

    _declared: list[Any] | None

    def __init__(
        self,
        *,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        **common: Unpack[LearnerOptions],
    ) -> None:
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)
        super().__init__(**common)
        self._declare(labels)

    def _declare(self, labels: Iterable[Label] | None) -> None:
        """Make labels known that the stream has not shown yet."""
        self._declared = None if labels is None else self._model.coerce_labels(labels)
        if self._declared is not None:
            known = set(map(repr, self.labels))
            self._model.declare([y for y in self._declared if repr(y) not in known])
            wanted = set(map(repr, self._declared))  # in the order in which they are known
            self._declared = [y for y in self.labels if repr(y) in wanted]

    @property
    def labels(self) -> list[Any]:
        """The labels known so far, in order of appearance."""
        return self._model.label_names()

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {
            name: handed_out(self._declared if name == "labels" else kept_as(self, name))
            for name in parameters(type(self))
        }


class Classifier(ClassifierVerbs, Labelled):
    """A learner of labels."""

    _model_class = ClassifierModel

    @suggest_parameters
    def learn_many(self, X: Rows, y: ArrayLike, w: ArrayLike | None = None) -> None:
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, y, w)

    def predict_many(self, X: Rows) -> NDArray[Any]:
        """The label of every row, in the labels' own dtype (object, with None, before any)."""
        return self._model.predict_many(X, OUTPUTS["label"])

    def score_many(self, X: Rows) -> NDArray[Any]:
        """Decision values: shape (n,) up to two labels, (n, k) in the order of `labels` beyond."""
        return self._model.predict_many(X, OUTPUTS["score"])

    @suggest_parameters
    def predict_learn_many(
        self,
        X: Rows,
        y: ArrayLike,
        w: ArrayLike | None = None,
        output: Literal["label", "proba", "score"] = "label",
    ) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned.

        `output` is "label", "score" or, where the learner has probabilities, "proba". Columns are
        in the order of `labels` after the last row; where a label was not known yet, the
        probability is 0 and the score NaN.
        """
        who = type(self).__name__
        if output not in ("label", "proba", "score"):
            raise ValueError(f"{who}: output must be 'label', 'proba' or 'score', got {output!r}.")
        if output == "proba" and not hasattr(self, "predict_proba_one"):
            raise ValueError(
                f"{who}: output='proba' needs probabilities, which this learner does not have; "
                f"use 'score'."
            )
        return self._model.learn_many(X, y, w, OUTPUTS[output])


class ProbabilisticClassifier(ProbabilisticVerbs, Classifier):
    """A classifier that knows how sure it is."""

    def predict_proba_many(self, X: Rows) -> NDArray[Any]:
        """Probabilities of every row, shape (n, k), in the order of `labels`."""
        return self._model.predict_many(X, OUTPUTS["proba"])
