"""Passive-aggressive uniclass prediction: the ball that examples keep falling into."""

from typing import Any, Unpack

from ...base.checks import number, positive
from ...base.passive_aggressive import PassiveAggressive
from ...base.union import Exported
from ...base.unsupervised import Unsupervised
from ..base import Hashed
from ..mixing import shares
from ._pa import UniclassState
from .base import PAHashedOptions


class PAUniclass(PassiveAggressive, Hashed, Unsupervised):
    """Passive-aggressive uniclass prediction (Crammer et al., JMLR 7, 2006, section 6).

    It has no labels: it keeps a ball, and moves its center towards every example outside, by the
    smallest step that takes the example in. The answer to an example is whether it lies inside,
    its score the radius minus its distance from the center. What an example does not mention is
    0; features that were never learned do not count in an answer.

    Parameters
    ----------
    epsilon : float >= 0, default 0.1
        Radius of the ball, where it is not learned. Raise it to call more examples normal.
    max_radius : float > 0 or None, default None
        Learn the radius, too: it starts at 0 and grows, to this at most. None: it is epsilon.

    Examples
    --------
    >>> model = PAUniclass(variant="PA", epsilon=1.0)
    >>> model.learn_one({"a": 3.0, "b": 4.0})
    >>> {name: round(value, 9) for name, value in model.center.items()}
    {'a': 2.4, 'b': 3.2}
    >>> model.predict_one({"a": 2.0, "b": 3.0}), model.predict_one({"a": 9.0})
    (True, False)
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.1,
        max_radius: float | None = None,
        **common: Unpack[PAHashedOptions],
    ) -> None:
        self.epsilon = number(self, "epsilon", epsilon, least=0.0, most=1e150)
        self.max_radius = None
        if max_radius is not None:
            self.max_radius = positive(self, "max_radius", max_radius)
            number(self, "max_radius", max_radius, most=1e150)
        super().__init__(**common)

    def _new_state(self) -> Any:
        learned = self.max_radius is not None
        size = self.max_radius if self.max_radius is not None else self.epsilon
        return UniclassState(False, self.variant, self.C, size, learned)

    @property
    def center(self) -> dict[Any, float]:
        """Feature to value: the middle of the ball. With `hash_bits` the keys are slots."""
        return self.weights

    @property
    def radius(self) -> float:
        """The radius of the ball now."""
        return float(self._model.readable_state().radius)

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        a, b = shares(mine, theirs)
        height = a * mine["height"] + b * theirs["height"]
        return {**super()._merged(mine, theirs), "height": min(height, self.max_radius or 0.0)}
