"""Base of learners whose targets are sets of labels."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._learner import OUTPUTS
from .checks import whole
from .classifier import Labelled
from .learner import check_output
from .types import Example, Label, Rows


class MultilabelClassifier(Labelled):
    """A learner of sets of labels: it scores all labels, and predicts those above `threshold`."""

    target_kind = "structured"
    threshold: float

    def learn_one(self, x: Example, y: Iterable[Label] | Label, w: float = 1.0) -> None:
        """Learn that the example `x` has the labels in the set `y`, no others, with importance `w`.

        A single label counts as the set of that label.
        """
        self._model.learn_one(x, y, w)

    def predict_one(self, x: Example) -> set[Any]:
        """The labels whose score is above the threshold. Changes nothing."""
        return {label for label, score in self.score_one(x).items() if score > self.threshold}

    def score_one(self, x: Example) -> dict[Any, float]:
        """The score of every known label."""
        return self._model.scores_one(x)

    def rank_one(self, x: Example) -> list[Any]:
        """All known labels, the best-scored first; on ties, the earlier known first."""
        scores = self.score_one(x)
        return sorted(scores, key=scores.__getitem__, reverse=True)

    def top_one(self, x: Example, n: int) -> list[Any]:
        """The n best-scored labels, the best first."""
        return self.rank_one(x)[: whole(self, "n", n, least=0)]

    def learn_many(self, X: Rows, y: Iterable[Iterable[Label]], w: Any = None) -> None:
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, y, w)

    def predict_many(self, X: Rows) -> NDArray[np.object_]:
        """A set of labels for every row."""
        return self._sets(self.score_many(X))

    def score_many(self, X: Rows) -> NDArray[np.float64]:
        """Scores of every row, shape (n, k), in the order of `labels`."""
        return self._model.predict_many(X, OUTPUTS["score"])

    def predict_learn_many(
        self, X: Rows, y: Iterable[Iterable[Label]], w: Any = None, output: str = "label"
    ) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned.

        `output` is "label" (sets) or "score": columns in the order of `labels` after the last row,
        NaN where a label was not known yet.
        """
        check_output(self, output)
        scores: NDArray[np.float64] = self._model.learn_many(X, y, w, OUTPUTS["score"])
        return self._sets(scores) if output == "label" else scores

    def _sets(self, scores: NDArray[np.float64]) -> NDArray[np.object_]:
        names, sets = self.labels, np.empty(len(scores), dtype=object)
        for i, row in enumerate(scores > self.threshold):
            sets[i] = {names[r] for r in np.flatnonzero(row)}
        return sets
