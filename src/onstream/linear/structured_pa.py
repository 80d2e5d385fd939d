"""Passive-aggressive learning of whole structures: sequences, trees, alignments."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..base.checks import choice
from ..base.learner import Learner
from ..core.fields import Fields
from .aggressiveness import check_function, check_pa, cost_of
from .mixing import mix_regressors
from .pa_ranking import MarginState
from .row_by_row import difference, learn_rows
from .state import Linear

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
        self.features = check_function(self, "features", features)
        self.argmax = check_function(self, "argmax", argmax)
        self.cost = None if cost is None else check_function(self, "cost", cost)
        self.mode = choice(self, "mode", mode, ("prediction", "max-loss"))
        check_pa(self, variant, C)
        self._check_common(False, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self) -> Any:
        return StructureState(self)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn that the answer to `x` is `y`, with importance `w`."""
        self._state.teach(x, y, w)

    def predict_one(self, x: Any) -> Any:
        """The answer with the highest score. Changes nothing."""
        return self._state.tell(x)

    def score_one(self, x: Any) -> float:
        """The score of that answer."""
        return float(self._state.value(self.features(x, self.predict_one(x))))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn example after example: the same as a loop of `learn_one`; all of them or none."""
        learn_rows(self._state, X, y, w)

    def predict_many(self, X: Any) -> NDArray[np.object_]:
        """The answer to every example."""
        return objects([self.predict_one(x) for x in X])

    def score_many(self, X: Any) -> NDArray[np.float64]:
        """The scores of these answers."""
        return np.array([self.score_one(x) for x in X], dtype=float)

    def predict_learn_many(
        self, X: Any, y: Any, w: Any = None, output: str = "label"
    ) -> NDArray[Any]:
        """Test, then train: what was answered for each example before it was learned."""
        choice(self, "output", output, ("label", "score"))
        ask = self.predict_one if output == "label" else self.score_one
        told = learn_rows(self._state, X, y, w, ask)
        return objects(told) if output == "label" else np.array(told, dtype=float)

    @property
    def weights(self) -> dict[Any, float]:
        """Feature to weight. With `hash_bits` the keys are slots, those in use."""
        fields = self._view()
        return self._named(fields, fields["weights"][:, 0])

    def _merged(self, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        return mix_regressors(mine, theirs)


class StructureState:
    """The weights of a `StructuredPA`, and a lesson."""

    def __init__(self, face: StructuredPA) -> None:
        self.face, self.who = face, type(face).__name__
        self.margins = self.new()

    def new(self) -> MarginState:
        """Weights that have learned nothing."""
        face = self.face
        margins = MarginState(self.who, face.hash_bits, face.hash_seed, False)
        margins.set_parameters(face.variant, face.C)
        return margins

    @property
    def seen(self) -> int:
        """Examples learned."""
        return self.margins.seen

    def value(self, features: Mapping[Any, Any]) -> float:
        """The score of features."""
        return self.margins.value(features)

    def tell(self, x: Any) -> Any:
        """The best answer."""
        if self.face.mode == "max-loss":  # without a true answer there is no loss
            return self.face.argmax(x, self.value, None)
        return self.face.argmax(x, self.value)

    def teach(self, x: Any, y: Any, w: float) -> None:
        """The true answer should be above the wrong one by the root of its cost."""
        face = self.face
        wrong = face.argmax(x, self.value, y) if face.mode == "max-loss" else self.tell(x)
        if same(wrong, y):
            self.margins.satisfy({}, 0.0, w)
            return
        margin = 1.0 if face.cost is None else sqrt(cost_of(self.who, face.cost, y, wrong))
        change = difference(face.features(x, y), face.features(x, wrong))
        self.margins.satisfy(change, margin, w)

    def export(self) -> dict[str, Any]:
        """Everything that was learned."""
        return self.margins.export()

    def reading(self) -> Any:
        """A context in which nobody changes this state."""
        return self.margins.reading()

    def settled(self) -> Self:
        """Itself: no block is ever being written."""
        return self

    def snapshot(self) -> dict[str, Any]:
        """`export`, while nobody else is learning."""
        return self.margins.snapshot()

    def restore(self, fields: Fields) -> None:
        """Take over an exported state; this one is new."""
        self.margins.restore(fields)

    def rewind(self, saved: dict[str, Any]) -> None:
        """Back to what `snapshot` saved."""
        self.margins = self.new()
        self.restore(Fields(saved))

    def reset_schedule(self) -> None:
        """There is none."""
        self.margins.reset_schedule()

    def memory(self) -> int:
        """Bytes held."""
        return self.margins.memory()


def same(a: Any, b: Any) -> bool:
    """Are two answers equal? Arrays count as a whole."""
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)


def objects(values: list[Any]) -> NDArray[np.object_]:
    """An array that holds each value as it is."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array
