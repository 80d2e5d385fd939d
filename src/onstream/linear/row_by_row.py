"""What learners share that call the user's functions for every example, and so learn row by row."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, Self
from weakref import WeakSet

import numpy as np

from ..core.coerce import coerce_weights, in_row, no_column
from ..core.frames import rows_of_table
from ..core.state_reader import StateReader

changing = RLock()  # held, for a moment and without calling the user, where a state is changed


class RowByRow(ABC):
    """A model that one thread at a time teaches, in Python; any number may ask it meanwhile.

    `turn` is held for a whole lesson, block or merge. The user's functions run in there: they may
    ask the model, and even teach it. `parts` is what was learned; it is only ever replaced as a
    whole, so that who asks sees it before or after, never in between.
    """

    who: str
    parts: Any

    def __init__(self) -> None:
        self.turn = RLock()
        self.parts = self.new()
        models.add(self)

    @abstractmethod
    def new(self) -> Any:
        """Parts that have learned nothing."""

    @abstractmethod
    def fill(self, parts: Any, fields: StateReader) -> None:
        """Put an exported state into new parts."""

    @abstractmethod
    def learn_one(self, x: Any, y: Any, w: float) -> None:
        """Learn one example."""

    @abstractmethod
    def snapshot(self) -> dict[str, Any]:
        """Everything that was learned, up to some row."""

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
        """Be what another model is, which nobody uses any more."""
        with changing:
            self.parts = other.parts

    def learning(self) -> Any:
        """A context in which nobody else learns; others may still ask."""
        return self.turn

    def readable_state(self) -> Self:
        """Itself: no block is ever being written."""
        return self


def learn_rows(
    model: RowByRow,
    rows: list[Any],
    targets: list[Any],
    w: Any,
    ask: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Learn all rows or, if one is refused, none. What `ask` said before each.

    Nobody else teaches meanwhile, so that only what this block has taught is taken back.
    """
    weights = coerce_weights(model.who, w)
    weights = np.ones(len(rows)) if weights is None else weights
    for name, column in (("y", targets), ("w", weights)):
        if len(column) != len(rows):
            raise ValueError(f"{model.who}: X has {len(rows):,} rows, {name} has {len(column):,}.")
    told = []
    with model.turn:
        saved = model.snapshot()
        for i, (x, y, weight) in enumerate(zip(rows, targets, weights.tolist(), strict=True)):
            try:
                if ask is not None:
                    told.append(ask(x))
                model.learn_one(x, y, weight)
            except BaseException as error:
                model.take_back(saved)
                if isinstance(error, (TypeError, ValueError)):
                    raise in_row(error, model.who, i) from None
                raise
    return told


def rows_of(who: str, name: str, item: str, X: Any) -> list[Any]:
    """The rows of X, be they anything; those of a frame are mappings."""
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
    """Whoever was teaching in another thread is not here, and will never end its turn."""
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
