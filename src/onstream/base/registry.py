"""The public learners by name: `load` may build them, and the contract tests run over them.

Parts are objects that may be a parameter of a learner, and so in a file: kernels, detectors.
"""

from importlib import import_module
from typing import Any

_families: list[str] = []  # modules that register learners and are not imported yet
_learners: dict[str, type[Any]] = {}
_parts: dict[str, type[Any]] = {}


def expect_families(*modules: str) -> None:
    """Name modules that register learners; they are imported at the first use of the registry."""
    _families.extend(modules)


def register_family(
    module: dict[str, Any], *, bases: tuple[str, ...] = (), parts: tuple[str, ...] = ()
) -> None:
    """Register the classes in `__all__` of a family; called at the end of its `__init__`.

    Classes with `learn_one` are learners, except those named in `parts`; all others are parts.
    Aliases and the abstract `bases` are left out.
    """
    for name in module["__all__"]:
        cls = module[name]
        if isinstance(cls, type) and cls.__name__ == name and name not in bases:
            learns = hasattr(cls, "learn_one") and name not in parts
            known, others = (_learners, _parts) if learns else (_parts, _learners)
            saved_as = name_in_files(cls)
            if known.get(saved_as, cls) is not cls or saved_as in others:
                raise ValueError(f"onstream: two things are called {saved_as}.")
            known[saved_as] = cls


def name_in_files(cls: type[Any]) -> str:
    """The name of a class in files: its own, unless another family has the same."""
    return str(vars(cls).get("_name_in_files", cls.__name__))


def public_class(cls: type[Any]) -> type[Any]:
    """The class that users name: that of a pipeline is `Pipeline`, whatever its last step is."""
    return vars(cls).get("_public_class", cls)


def _import_families() -> None:
    for family in list(_families):
        import_module(family)
        if family in _families:  # another thread may have been faster
            _families.remove(family)


def learners() -> dict[str, type[Any]]:
    """Every public learner: name to class, in order of registration."""
    _import_families()
    return dict(_learners)


def parts() -> dict[str, type[Any]]:
    """Every public part: name to class."""
    _import_families()
    return dict(_parts)
