"""The perceptron of Rosenblatt (1958), in the general form of the Filice lecture."""

from collections.abc import Callable, Iterable
from typing import Any, Self, Unpack

from numpy.typing import ArrayLike

from ..base.checks import number, positive, whole
from ..base.fit import stream_of
from ..base.parameters import suggest_parameters
from ..base.types import Example, Rows
from ..base.union import Exported
from ._perceptron import PerceptronState
from .base import LinearClassifier, LinearClassifierOptions
from .user_functions import check_function

NumberOrFunction = float | Callable[[int], float]


class Perceptron(LinearClassifier):
    """Perceptron (Rosenblatt, Psychological Review 65, 1958): learns from its mistakes only.

    Whenever y(w.x) <= beta it turns towards the example, w = gamma * w + alpha * y * x. With more
    than two labels the true label's weights gain half of that step and the best-scored wrong
    label's lose it. On separable data it makes at most (R |u|)^2 mistakes, whatever the order.
    The same in plain NumPy: tests/oracles/perceptron.py.

    Functions of t are called with 1 for the first example, 2 for the second, and so on;
    `reset_schedule` counts from 1 again.

    Parameters
    ----------
    beta : number or function of t, default 0.0
        Margin below which it learns. Raise it to learn from examples that are barely right, too.
    gamma : number or function of t, default 1.0
        What is kept of the old weights at a mistake. Below 1 it forgets, and follows drift.
    alpha : number > 0 or function of t, default 1.0
        Step. Alone (beta=0, gamma=1) it changes no prediction.

    Examples
    --------
    >>> model = Perceptron()
    >>> model.learn_one({"free": 1, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.updates
    2
    """

    def __init__(
        self,
        *,
        beta: NumberOrFunction = 0.0,
        gamma: NumberOrFunction = 1.0,
        alpha: NumberOrFunction = 1.0,
        **common: Unpack[LinearClassifierOptions],
    ) -> None:
        self.beta = self._checked("beta", beta, number)
        self.gamma = self._checked("gamma", gamma, number)
        self.alpha = self._checked("alpha", alpha, positive)
        super().__init__(**common)

    def _checked(self, name: str, value: Any, check: Callable[..., float]) -> NumberOrFunction:
        if callable(value):
            function: NumberOrFunction = check_function(self, name, value, 1)
            return function
        return check(self, name, value)

    def _new_state(self) -> Any:
        return PerceptronState(self.intercept, self.beta, self.gamma, self.alpha)

    @property
    def updates(self) -> int:
        """How many examples changed the weights."""
        return int(self._model.readable_state().updates)

    @property
    def converged(self) -> bool | None:
        """Did the last `fit` end with a pass without any update? None before any fit."""
        converged: bool | None = self._model.readable_state().converged
        return converged

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        updates = mine["updates"] + theirs["updates"]
        return {**super()._merged(mine, theirs), "updates": updates, "converged": None}

    @suggest_parameters
    def fit(  # type: ignore[override]
        self,
        X: Rows | Iterable[tuple[Example, Any]],
        y: ArrayLike | None = None,
        w: ArrayLike | None = None,
        *,
        max_epochs: int = 1000,
        shuffle: bool = False,
        seed: int = 0,
    ) -> Self:
        """The batch perceptron: pass over `(X, y)` until a pass changes nothing.

        Stops after `max_epochs` passes in any case; `converged` says which it was. Rows come in
        their own order unless `shuffle` is True; `w` holds the importance of each. Returns the
        learner itself.
        """
        whole(self, "max_epochs", max_epochs, least=1)
        whole(self, "seed", seed, least=0)
        if y is None and max_epochs > 1 and iter(stream_of(self, X)) is X:
            raise TypeError(
                "Perceptron: an iterator can be read once only; fit needs several passes, so pass "
                "something that can be read again, such as a list."
            )
        converged = False
        for epoch in range(max_epochs):
            before = self._model.state.updates
            super().fit(X, y, w=w, epochs=1, shuffle=shuffle, seed=seed + epoch)
            if self._model.state.updates == before:
                converged = True
                break
        self._model.state.converged = converged
        return self
