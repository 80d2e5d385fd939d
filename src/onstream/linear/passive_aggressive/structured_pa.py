"""Passive-aggressive learning of whole structures: sequences, trees, alignments."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ...base.checks import choice
from ...base.passive_aggressive import PassiveAggressive
from ..base import Hashed
from ..user_functions import check_function, cost_of, difference, is_mapping
from .base import MODES, Mode, PAHashedOptions
from .row_by_row import RowByRow, changing, rows_of


class StructuredPA(PassiveAggressive, Hashed):
    """Passive-aggressive learner of structures (Crammer et al., JMLR 7, 2006, section 9).

    The user's `features` say how an example and an answer fit together, and the user's `argmax`
    (Viterbi, say) finds the answer with the highest score. The true answer should be above the one
    predicted by the root of its `cost`; if it is not, the weights make the smallest step that makes
    it so.

    Parameters
    ----------
    features : function of x and y
        features(x, y) gives a mapping from features to values.
    argmax : function of x and score
        argmax(x, score) gives the answer y with the highest score(features(x, y)). score takes any
        mapping of features, so also those of a part of y, and adds up. With mode="max-loss" it is
        called as argmax(x, score, y), and must find the r with the highest
        score(features(x, r)) + sqrt(cost(y, r)); for a prediction y is None there.
    cost : function of two answers or None, default None
        cost(y, r) >= 0: the price of answering r where y is true. None: 1 where they differ.
    mode : {"prediction", "max-loss"}, default "prediction"
        Which wrong answer an update moves: the one predicted, or the one with the largest loss.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when answers are noisy.

    Examples
    --------
    >>> from itertools import product
    >>> def features(words, tags):
    ...     return {f"{word}/{tag}": 1.0 for word, tag in zip(words, tags)}
    >>> def argmax(words, score):  # by trying all: words and tags are few here
    ...     answers = list(product("NV", repeat=len(words)))
    ...     return max(answers, key=lambda tags: score(features(words, tags)))
    >>> model = StructuredPA(features=features, argmax=argmax)
    >>> for _ in range(3):
    ...     model.learn_one(["dogs", "bark"], ("N", "V"))
    ...     model.learn_one(["cats", "sleep"], ("N", "V"))
    >>> model.predict_one(["cats", "bark"])
    ('N', 'V')
    """

    target_kind = "structured"

    def __init__(
        self,
        *,
        features: Callable[[Any, Any], Mapping[Any, Any]],
        argmax: Callable[..., Any],
        cost: Callable[[Any, Any], float] | None = None,
        mode: Mode = "prediction",
        **common: Unpack[PAHashedOptions],
    ) -> None:
        self.mode = choice(self, "mode", mode, MODES)
        self.features = check_function(self, "features", features, 2)
        self.argmax = check_function(self, "argmax", argmax, 3 if mode == "max-loss" else 2)
        self.cost = None if cost is None else check_function(self, "cost", cost, 2)
        super().__init__(**common)

    def _new_model(self) -> Any:
        return StructureModel(self)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn that the answer to `x` is `y`, with importance `w`."""
        self._model.learn_one(x, y, w)

    def predict_one(self, x: Any) -> Any:
        """The answer with the highest score. Changes nothing."""
        return self._model.predict_one(x)

    def score_one(self, x: Any) -> float:
        """The score of that answer."""
        return float(self._model.score_one(x))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn example after example: the same as a loop of `learn_one`; all of them or none."""
        self._model.learn_rows(self._rows(X), self._rows(y, "y", "answer"), w)

    def _rows(self, X: Any, name: str = "X", item: str = "example") -> list[Any]:
        return rows_of(type(self).__name__, name, item, X)

    def predict_many(self, X: Any) -> NDArray[np.object_]:
        """The answer to every example."""
        return objects([self.predict_one(x) for x in self._rows(X)])

    def score_many(self, X: Any) -> NDArray[np.float64]:
        """The scores of these answers."""
        return np.array([self.score_one(x) for x in self._rows(X)], dtype=float)

    def predict_learn_many(
        self, X: Any, y: Any, w: Any = None, output: str = "label"
    ) -> NDArray[Any]:
        """Test, then train: what was answered for each example before it was learned."""
        choice(self, "output", output, ("label", "score"))
        ask = self.predict_one if output == "label" else self.score_one
        answers = self._model.learn_rows(self._rows(X), self._rows(y, "y", "answer"), w, ask)
        return objects(answers) if output == "label" else np.array(answers, dtype=float)


class StructureModel(RowByRow):
    """The weights of a `StructuredPA`, and its update."""

    learner: StructuredPA

    def value(self, features: Mapping[Any, Any]) -> float:
        """The score of features."""
        if not is_mapping(features):
            raise TypeError(
                f"{self.who}: score takes a mapping from features to values, "
                f"got {features!r:.60} of type {type(features).__name__}."
            )
        return float(self.parts[0].score_one(features))

    def predict_one(self, x: Any) -> Any:
        """The best answer."""
        if self.learner.mode == "max-loss":  # without a true answer there is no loss
            return self.learner.argmax(x, self.value, None)
        return self.learner.argmax(x, self.value)

    def score_one(self, x: Any) -> float:
        """The score of the best answer."""
        best = self.predict_one(x)
        return float(self.parts[0].score_one(self.asked(x, best)))

    def learn_one(self, x: Any, y: Any, w: float) -> None:
        """Lift the true answer above the wrong one by the root of its cost."""
        max_loss, cost = self.learner.mode == "max-loss", self.learner.cost
        with self.turn:
            wrong = self.learner.argmax(x, self.value, y) if max_loss else self.predict_one(x)
            change, margin = {}, 0.0
            if not same(self.who, wrong, y):
                margin = 1.0 if cost is None else sqrt(cost_of(self.who, cost, y, wrong))
                change = difference(self.who, self.asked(x, y), self.asked(x, wrong))
            with changing:
                self.parts[0].learn_one(change, margin, w)


def same(who: str, a: Any, b: Any) -> bool:
    """Are two answers equal? Arrays and frames count as a whole."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    try:
        return bool(a == b)
    except (TypeError, ValueError) as error:  # there are arrays or frames in it, or it is one
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(same(who, p, q) for p, q in zip(a, b, strict=True))
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            return a.keys() == b.keys() and all(same(who, a[key], b[key]) for key in a)
        if hasattr(a, "equals") and type(a) is type(b):
            return bool(a.equals(b))
        raise TypeError(
            f"{who}: the answer of argmax, a {type(a).__name__}, and y, a {type(b).__name__}, "
            f"cannot be compared by ==: {error}"
        ) from None


def objects(values: list[Any]) -> NDArray[np.object_]:
    """An array that holds each value as it is."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array
