"""Names that people may type: of every learner and part, and the short ones of their families."""

from collections.abc import Iterable
from sys import modules
from typing import Any

from ..base import learners, parts
from ..base.checks import nearest


def by_name() -> dict[str, type[Any]]:
    """Every learner and part, by all of its names."""
    known = {**parts(), **learners()}
    short = {name: cls for cls in known.values() for name in short_names(cls)}
    return {**short, **known}


def package(cls: type[Any]) -> str:
    """The part of the library that a class belongs to."""
    return cls.__module__.rpartition(".")[0]


def short_names(cls: type[Any]) -> list[str]:
    """Other names by which its package exports a class: VFDT is the HoeffdingTreeClassifier."""
    home = modules.get(package(cls))
    offered = getattr(home, "__all__", ())
    return [name for name in offered if name != cls.__name__ and getattr(home, name) is cls]


def meant(name: str, known: Iterable[str]) -> str:
    """Perhaps something else was meant; a beginning is a good hint, too."""
    known = list(known)
    begun = [other for other in known if len(name) > 2 and other.lower().startswith(name.lower())]
    return nearest(name, known) or (f" Did you mean {begun[0]!r}?" if begun else "")


def needs_all_at_once(cls: type[Any]) -> bool:
    """Say whether it learns, but is registered as a part, not as a learner of streams."""
    return hasattr(cls, "learn_one") and cls in parts().values()


def check_online(model: Any) -> None:
    """Refuse a model of which some step does not learn from a stream."""
    steps = getattr(model, "steps", None)
    for step in steps if isinstance(steps, (list, tuple)) else ():
        check_online(step)
    if needs_all_at_once(type(model)):
        raise ValueError(
            f"onstream: {type(model).__name__} is no online learner: it is built from all rows at "
            f"once, by `fit` in Python. `onstream models` lists those that learn row by row."
        )
