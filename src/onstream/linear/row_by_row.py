"""Blocks for learners that call the user's functions for every example, and so go row by row."""

from collections.abc import Callable
from typing import Any, Protocol

from ..core.plain import in_row


class Teachable(Protocol):
    """A state that can be taught in Python, and put back."""

    who: str

    def teach(self, x: Any, y: Any, w: float) -> None:
        """Learn one example."""

    def snapshot(self) -> dict[str, Any]:
        """Everything that was learned."""

    def rewind(self, saved: dict[str, Any]) -> None:
        """Back to a snapshot."""


def learn_rows(
    state: Teachable, X: Any, y: Any, w: Any, ask: Callable[[Any], Any] | None = None
) -> list[Any]:
    """Learn all rows or, if one is refused, none. What `ask` said before each."""
    rows, targets = list(X), list(y)
    weights = [1.0] * len(rows) if w is None else list(w)
    for name, column in (("y", targets), ("w", weights)):
        if len(column) != len(rows):
            raise ValueError(f"{state.who}: X has {len(rows):,} rows, {name} has {len(column):,}.")
    saved = state.snapshot()
    told = []
    for i, (x, target, weight) in enumerate(zip(rows, targets, weights, strict=True)):
        try:
            if ask is not None:
                told.append(ask(x))
            state.teach(x, target, weight)
        except BaseException as error:
            state.rewind(saved)
            if isinstance(error, (TypeError, ValueError)):
                raise in_row(error, state.who, i) from None
            raise
    return told


def difference(a: Any, b: Any) -> dict[Any, float]:
    """The mapping a - b; what both have alike is left out."""
    change = {name: float(value) for name, value in a.items()}
    for name, value in b.items():
        change[name] = change.get(name, 0.0) - float(value)
    return {name: value for name, value in change.items() if value != 0.0}
