"""The public learners by name: what `load` may build, and what contract tests run over.

Parts are what a learner may be given as a parameter and a file may hold: kernels, detectors.
"""

from importlib import import_module
from typing import Any

_families: list[str] = []  # modules that register learners, imported when first asked for
_learners: dict[str, type[Any]] = {}
_parts: dict[str, type[Any]] = {}


def expect_families(*modules: str) -> None:
    """Say which modules register learners, without importing them yet."""
    _families.extend(modules)


def register_family(
    module: dict[str, Any], *, bases: tuple[str, ...] = (), parts: tuple[str, ...] = ()
) -> None:
    """Make known what a family exports: its `__all__` is the only list. Called in its `__init__`.

    What learns example by example is a learner; other classes are `parts`, which are named only if
    they look like learners. Second names of a class and its abstract `bases` are left out.
    """
    for name in module["__all__"]:
        cls = module[name]
        if isinstance(cls, type) and cls.__name__ == name and name not in bases:
            learns = hasattr(cls, "learn_one") and name not in parts
            _add(_learners if learns else _parts, (cls,))


def register(*classes: type[Any]) -> None:
    """Make learners known (families that do not use the above yet)."""
    _add(_learners, classes)


def register_parts(*classes: type[Any]) -> None:
    """Make parts known (families that do not use the above yet)."""
    _add(_parts, classes)


def _add(known: dict[str, type[Any]], classes: tuple[type[Any], ...]) -> None:
    for cls in classes:
        name = name_in_files(cls)
        if (known.get(name) or cls) is not cls or name in _other(known):
            raise ValueError(f"onstream: two things are called {name}.")
        known[name] = cls


def name_in_files(cls: type[Any]) -> str:
    """What a class is called in files: its name, unless that is taken in another family."""
    return str(vars(cls).get("_name_in_files", cls.__name__))


def _other(known: dict[str, type[Any]]) -> dict[str, type[Any]]:
    return _parts if known is _learners else _learners


def _import_families() -> None:
    while _families:
        import_module(_families[0])
        _families.pop(0)


def learners() -> dict[str, type[Any]]:
    """Every public learner: name to class, in order of registration."""
    _import_families()
    return dict(_learners)


def parts() -> dict[str, type[Any]]:
    """Every public part: name to class."""
    _import_families()
    return dict(_parts)
