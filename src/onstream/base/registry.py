"""The public learners by name: what `load` may build, and what contract tests run over."""

from typing import Any

_learners: dict[str, type[Any]] = {}


def register(*classes: type[Any]) -> None:
    """Make learners known. A family calls this once, in its `__init__`."""
    for cls in classes:
        if _learners.setdefault(cls.__name__, cls) is not cls:
            raise ValueError(f"onstream: two learners are called {cls.__name__}.")


def learners() -> dict[str, type[Any]]:
    """Every public learner: name to class, in order of registration."""
    return dict(_learners)
