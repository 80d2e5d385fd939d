"""What learners share that call the user's functions for every example, and so learn row by row."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, Self
from weakref import WeakSet

import numpy as np

from ...core.coerce import coerce_weights, in_row, no_column
from ...core.frames import rows_of_table
from ...core.regressor import RegressorModel
from ...core.state_reader import StateReader
from ..user_functions import features_of
from ._pa import MarginState

changing = RLock()  # held, briefly and without calling user code, while any model is changed


class RowByRow(ABC):
    """A model in Python that one thread at a time trains, while any number may ask it.

    `turn` is held while an example, a block or a merge is learned. The user's functions run inside:
    they may ask the model, and even train it. `parts` is replaced only as a whole, so that readers
    see the state before or after, never in between.
    """

    parts: Any  # what was learned: a tuple of models, the first of them the weights

    def __init__(self, learner: Any) -> None:
        self.learner, self.who = learner, type(learner).__name__
        self.turn = RLock()
        self.parts = self.new()
        models.add(self)

    def new(self) -> tuple[Any, ...]:
        """Parts that have learned nothing."""
        learner = self.learner
        state = MarginState(False, learner.variant, learner.C)
        hashing = {"hash_bits": learner.hash_bits, "hash_seed": learner.hash_seed}
        return (RegressorModel(self.who, state, **hashing),)

    def asked(self, x: Any, y: Any) -> Any:
        """The user's features of an example and an answer, or a label."""
        return features_of(self.who, self.learner.features, x, y)

    @abstractmethod
    def learn_one(self, x: Any, y: Any, w: float) -> None:
        """Learn one example."""

    def learn_rows(
        self, X: list[Any], y: list[Any], w: Any, ask: Callable[[Any], Any] | None = None
    ) -> list[Any]:
        """Learn all rows or, if one is refused, none. The answers of `ask` before each.

        No other thread trains meanwhile, so that only what this block has taught is undone.
        """
        weights = coerce_weights(self.who, w)
        weights = np.ones(len(X)) if weights is None else weights
        for name, column in (("y", y), ("w", weights)):
            if len(column) != len(X):
                raise ValueError(f"{self.who}: X has {len(X):,} rows, {name} has {len(column):,}.")
        answers = []
        with self.turn:
            saved = self.snapshot()
            for i, (row, target, weight) in enumerate(zip(X, y, weights.tolist(), strict=True)):
                try:
                    if ask is not None:
                        answers.append(ask(row))
                    self.learn_one(row, target, weight)
                except BaseException as error:
                    self.take_back(saved)
                    if isinstance(error, (TypeError, ValueError)):
                        raise in_row(error, self.who, i) from None
                    raise
        return answers

    @property
    def seen(self) -> int:
        """Examples learned."""
        return int(self.parts[0].seen)

    def snapshot(self) -> dict[str, Any]:
        """Everything that was learned, up to some row."""
        fields: dict[str, Any] = self.parts[0].snapshot()
        return fields

    def fill(self, parts: tuple[Any, ...], fields: StateReader) -> None:
        """Put an exported state into new parts."""
        parts[0].restore(fields)

    def restore(self, fields: StateReader) -> None:
        """Take over what was exported; this model is new."""
        self.fill(self.parts, fields)

    def take_back(self, exported: dict[str, Any]) -> None:
        """Become what was exported."""
        parts = self.new()
        self.fill(parts, StateReader(exported))
        with changing:
            self.parts = parts

    def become(self, other: Self) -> None:
        """Take over everything from another model, which is not used afterwards."""
        with changing:
            self.parts = other.parts

    def reading(self) -> Any:
        """A context in which the weights do not change."""
        return self.parts[0].reading()

    def learning(self) -> Any:
        """A context in which no other thread learns; others may still ask."""
        return self.turn

    writing = learning

    def readable_state(self) -> Self:
        """Itself: no block is ever being written."""
        return self

    def reset_schedule(self) -> None:
        """Count from here on, although no rate depends on it."""
        self.parts[0].reset_schedule()

    def memory(self) -> int:
        """Bytes held."""
        return sum(part.memory() for part in self.parts)


def rows_of(who: str, name: str, item: str, X: Any) -> list[Any]:
    """The rows of X, of whatever type; those of a frame are mappings."""
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
        return rows_of_table(who, X)[1]
    if hasattr(X, "to_pylist"):  # a column of Arrow
        return list(X.to_pylist())
    unordered = isinstance(X, (str, bytes, Mapping, set, frozenset))
    if unordered or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) == 0:
        raise no_column(who, name, item, X)
    return list(X)


# -- forks -----------------------------------------------------------------------------------------

models: WeakSet[RowByRow] = WeakSet()


def after_in_child() -> None:
    """Release the turns of threads that were learning: they do not exist in the child."""
    changing.release()
    for model in list(models):
        if model.turn.acquire(blocking=False):
            model.turn.release()
        else:
            model.turn = RLock()


if hasattr(os, "register_at_fork"):  # a fork waits until no model is half changed
    os.register_at_fork(
        before=changing.acquire, after_in_parent=changing.release, after_in_child=after_in_child
    )
