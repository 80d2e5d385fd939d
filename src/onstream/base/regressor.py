"""A learner of numbers."""

from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray

from ..core.regressor import RegressorModel
from ._learner import OUTPUTS, RegressorVerbs
from .learner import Learner, check_output
from .parameters import suggest_parameters
from .types import Rows


class Regressor(RegressorVerbs, Learner):
    """A learner of numbers."""

    target_kind = "numbers"
    _model_class = RegressorModel

    @suggest_parameters
    def learn_many(self, X: Rows, y: ArrayLike, w: ArrayLike | None = None) -> None:
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, y, w)

    def predict_many(self, X: Rows) -> NDArray[Any]:
        """The prediction for every row."""
        return self._model.predict_many(X, OUTPUTS["score"])

    def score_many(self, X: Rows) -> NDArray[Any]:
        """The same as `predict_many`."""
        return self._model.predict_many(X, OUTPUTS["score"])

    @suggest_parameters
    def predict_learn_many(
        self,
        X: Rows,
        y: ArrayLike,
        w: ArrayLike | None = None,
        output: Literal["label", "score"] = "label",
    ) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned."""
        check_output(self, output)
        return self._model.learn_many(X, y, w, OUTPUTS["score"])
