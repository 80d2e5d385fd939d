"""Base of learners without targets."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core.batch import BatchModel
from ._learner import OUTPUTS
from .fit import count_rows
from .learner import Learner, check_output
from .parameters import suggest_parameters
from .types import Example, Rows


class Unsupervised(Learner):
    """A learner of examples without targets; it predicts whether an example is like those learned.

    All methods accept a target and ignore it: so it can be used like a supervised learner.
    """

    _model_class = BatchModel

    def learn_one(self, x: Example, y: Any = None, w: float = 1.0) -> None:
        """Learn the example `x` with importance `w`; `y` is ignored."""
        self._model.learn_one(x, None, w)

    def predict_one(self, x: Example) -> bool:
        """Is `x` like the examples learned? Changes nothing."""
        return bool(self._model.score_one(x) >= 0.0)

    def score_one(self, x: Example) -> float:
        """The score of `x`: at least 0 if `predict_one` is True."""
        return float(self._model.score_one(x))

    def learn_many(self, X: Rows, y: Any = None, w: Any = None) -> None:
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, None, w)

    def predict_many(self, X: Rows) -> NDArray[np.bool_]:
        """True or False for every row."""
        return self.score_many(X) >= 0.0

    def score_many(self, X: Rows) -> NDArray[np.float64]:
        """The score of every row."""
        return self._model.predict_many(X, OUTPUTS["score"])

    def predict_learn_many(
        self, X: Rows, y: Any = None, w: Any = None, output: str = "label"
    ) -> NDArray[Any]:
        """Test, then train: what was predicted for each row before it was learned.

        `output` is "label" (True or False) or "score".
        """
        check_output(self, output)
        scores: NDArray[np.float64] = self._model.learn_many(X, None, w, OUTPUTS["score"])
        return scores >= 0.0 if output == "label" else scores

    @suggest_parameters
    def fit(
        self,
        X: Rows,
        y: Any = None,
        w: Any = None,
        *,
        epochs: int = 1,
        shuffle: bool = True,
        seed: int = 0,
    ) -> Self:
        """Go over a static block `X`, or a stream, `epochs` times, from the present state on.

        A block is shuffled before each epoch unless `shuffle` is False; `w` holds the importance
        of each row. A stream (any iterable of `(x, y)`) is read in its own order. Returns the
        learner itself.
        """
        if y is None and is_block(X):
            y = np.zeros(count_rows(self, "X", X))
        return super().fit(X, y, w=w, epochs=epochs, shuffle=shuffle, seed=seed)


def is_block(X: Any) -> bool:
    """Say whether these are rows, rather than a stream of (x, y)."""
    if isinstance(X, list):
        return not X or not isinstance(X[0], tuple)
    return hasattr(X, "shape") or hasattr(X, "__arrow_c_stream__")
