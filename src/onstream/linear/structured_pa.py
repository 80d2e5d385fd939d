"""Passive-aggressive learning of whole structures: sequences, trees, alignments."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.checks import choice
from ..base.learner import Learner
from ..core.regressor import RegressorModel
from ..core.state_reader import StateReader
from .aggressiveness import check_pa
from .base import Linear
from .mixing import mix_regressors
from .pa_ranking import margin_model
from .row_by_row import RowByRow, changing, learn_rows, rows_of
from .user_functions import check_function, cost_of, difference, features_of, is_mapping

Score = Callable[[Mapping[Any, Any]], float]


class StructuredPA(Linear, Learner):
    """Passive-aggressive learner of structures (Crammer et al., JMLR 7, 2006, section 9).

    What an example and an answer have in common is told by the user's `features`, and the answer
    with the highest score is found by the user's `argmax` (Viterbi, say). The true answer should
    be above the one predicted by the root of its `cost`; if it is not, the weights make the
    smallest step that makes it so.

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
        Which wrong answer a lesson is about: the one predicted, or the one with the largest loss.
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when answers are noisy.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : StructuredPA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    variant: str
    C: float

    def __init__(
        self,
        *,
        features: Callable[[Any, Any], Mapping[Any, Any]],
        argmax: Callable[..., Any],
        cost: Callable[[Any, Any], float] | None = None,
        mode: Literal["prediction", "max-loss"] = "prediction",
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: "StructuredPA | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self.mode = choice(self, "mode", mode, ("prediction", "max-loss"))
        self.features = check_function(self, "features", features, 2)
        self.argmax = check_function(self, "argmax", argmax, 3 if mode == "max-loss" else 2)
        self.cost = None if cost is None else check_function(self, "cost", cost, 2)
        check_pa(self, variant, C)
        self._check_common(False, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

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
        learn_rows(self._model, self._rows(X), self._rows(y, "y", "answer"), w)

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
        told = learn_rows(self._model, self._rows(X), self._rows(y, "y", "answer"), w, ask)
        return objects(told) if output == "label" else np.array(told, dtype=float)

    @property
    def weights(self) -> dict[Any, float]:
        """Feature to weight. With `hash_bits` the keys are slots, those in use."""
        fields = self._view()
        return self._named(fields, fields["weights"][:, 0])

    def _merged(self, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        return mix_regressors(mine, theirs)


class StructureModel(RowByRow):
    """The weights of a `StructuredPA`, and a lesson."""

    parts: RegressorModel

    def __init__(self, face: StructuredPA) -> None:
        self.face, self.who = face, type(face).__name__
        super().__init__()

    def new(self) -> RegressorModel:
        """Weights that have learned nothing."""
        model: RegressorModel = margin_model(self.face)
        return model

    @property
    def seen(self) -> int:
        """Examples learned."""
        return self.parts.seen

    def value(self, features: Mapping[Any, Any]) -> float:
        """The score of features."""
        if not is_mapping(features):
            raise TypeError(
                f"{self.who}: score takes a mapping from features to values, "
                f"got {features!r:.60} of type {type(features).__name__}."
            )
        return self.parts.score_one(features)

    def predict_one(self, x: Any) -> Any:
        """The best answer."""
        if self.face.mode == "max-loss":  # without a true answer there is no loss
            return self.face.argmax(x, self.value, None)
        return self.face.argmax(x, self.value)

    def score_one(self, x: Any) -> float:
        """The score of the best answer."""
        best = self.predict_one(x)
        return self.parts.score_one(features_of(self.who, self.face.features, x, best))

    def learn_one(self, x: Any, y: Any, w: float) -> None:
        """The true answer should be above the wrong one by the root of its cost."""
        face = self.face
        with self.turn:
            wrong = (
                face.argmax(x, self.value, y) if face.mode == "max-loss" else self.predict_one(x)
            )
            change, margin = {}, 0.0
            if not same(self.who, wrong, y):
                cost = 1.0 if face.cost is None else cost_of(self.who, face.cost, y, wrong)
                up, down = (features_of(self.who, face.features, x, r) for r in (y, wrong))
                change, margin = difference(self.who, up, down), sqrt(cost)
            with changing:
                self.parts.learn_one(change, margin, w)

    def export(self) -> dict[str, Any]:
        """Everything that was learned."""
        return self.parts.export()

    def reading(self) -> Any:
        """A context in which nobody changes this state."""
        return self.parts.reading()

    def snapshot(self) -> dict[str, Any]:
        """`export`, while nobody else is learning."""
        return self.parts.snapshot()

    def fill(self, parts: RegressorModel, fields: StateReader) -> None:
        """Put an exported state into new parts."""
        parts.restore(fields)

    def reset_schedule(self) -> None:
        """There is none."""
        self.parts.reset_schedule()

    def memory(self) -> int:
        """Bytes held."""
        return self.parts.memory()


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
