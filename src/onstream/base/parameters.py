"""The parameters of a constructor: its own, and those that `**common` hands to its bases.

A base declares, checks and documents what its family shares, once. A class names only its own
parameters; signature, docstring and errors show all of them.
"""

import functools
import inspect
import re
from ast import literal_eval
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

from .checks import meant, name_of

Method = TypeVar("Method", bound=Callable[..., Any])
Parameters = dict[str, inspect.Parameter]

SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", re.S | re.M)
ENTRY = re.compile(r"^(\w+) : [^\n]*\n(?:[ ]+[^\n]*\n?|\n(?=[ ]))*", re.M)
NOT_KEPT = ("init",)  # where to start from is not part of what a learner is

_declared: WeakKeyDictionary[type, tuple[Any, Parameters]] = WeakKeyDictionary()


class AllParameters:
    """`__signature__` of a class, with the parameters that its constructor hands to its bases."""

    def __get__(self, instance: object, cls: type[Any]) -> inspect.Signature | None:
        return inspect.Signature(list(declared(cls).values())) if hands_on(cls) else None


class SuggestsParameters:
    """Its subclasses show the parameters of their bases, and list them all when one is unknown."""

    __signature__ = AllParameters()
    _described: ClassVar[dict[str, str]] = {}  # parameter to entry, of this class

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = suggest_parameters(cls.__init__)  # type: ignore[method-assign]
        doc = inspect.cleandoc(vars(cls).get("__doc__") or "")
        cls._described = entries(doc)
        if doc and hands_on(cls):
            cls.__doc__ = documented(cls, doc)


def parameters(cls: type[Any]) -> dict[str, Any]:
    """Name and default of every parameter that a learner keeps."""
    return {name: p.default for name, p in declared(cls).items() if name not in NOT_KEPT}


def declared(cls: type[Any]) -> Parameters:
    """All parameters by name: those of the class itself, then those of its bases, by name only."""
    init, found = _declared.get(cls, (None, {}))
    if init is not cls.__init__:  # a decorator may have put another one there
        init, found = cls.__init__, {}
        own_class = True
        for base in cls.__mro__:
            if "__init__" not in vars(base):
                continue
            own = list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]
            for p in own:
                if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                    found.setdefault(p.name, p if own_class else p.replace(kind=p.KEYWORD_ONLY))
            own_class = False
            if not any(p.kind is p.VAR_KEYWORD for p in own):
                break  # otherwise the others go to the class above
        _declared[cls] = init, found
    return found


def hands_on(cls: type[Any]) -> bool:
    """Say whether the constructor takes parameters for its bases."""
    if cls.__init__ is object.__init__:
        return False
    own = inspect.signature(cls.__init__).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in own)


def entries(doc: str) -> dict[str, str]:
    """Parameter to what the section Parameters of a docstring says of it."""
    found = SECTION.search(doc)
    return {} if found is None else {m[1]: m[0].rstrip() for m in ENTRY.finditer(found[1])}


def documented(cls: type[Any], doc: str) -> str:
    """The docstring with an entry for every parameter, each from the nearest class that has one."""
    lines = []
    for name, parameter in declared(cls).items():
        described = (vars(base).get("_described", {}).get(name) for base in cls.__mro__)
        entry = next(filter(None, described), None)
        if entry is not None:
            if name not in cls._described:
                entry = with_default(entry, parameter.default)
            lines.append(entry.replace("{learner}", cls.__name__))
    return with_entries(doc, lines) if lines else doc


def with_default(entry: str, default: Any) -> str:
    """The entry of a base with the default that a class has declared instead."""
    if default is inspect.Parameter.empty:
        return entry
    kind, end, rest = entry.partition("\n")
    what, comma, written = kind.rpartition(", default ")
    try:
        same = not comma or bool(literal_eval(written) == default)
    except Exception:  # prose, or a default that does not compare
        same = True
    return entry if same else f"{what}, default {default!r}{end}{rest}"


def with_entries(doc: str, entries: list[str]) -> str:
    """The docstring with these entries as its section Parameters."""
    section = "\n".join(["Parameters", "----------", *entries, "", ""])
    found = SECTION.search(doc)
    if found:
        rest = ENTRY.sub("", found[1]).strip()  # remarks behind the last one
        section += f"{rest}\n\n" if rest else ""
        return (doc[: found.start()] + section + doc[found.end() :]).rstrip() + "\n"
    before, mark, after = doc.partition("\nExamples\n")
    return f"{before.rstrip()}\n\n{section}{mark.lstrip()}{after}".rstrip() + "\n"


def suggest_parameters(method: Method) -> Method:
    """Wrap a method so that an unknown keyword raises a TypeError that lists the valid ones."""
    makes = method.__name__ == "__init__"

    @functools.wraps(method)
    def checked(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return method(self, *arguments, **options)
        except TypeError as error:
            own = list(inspect.signature(method).parameters.values())[1:]
            known = list(declared(type(self))) if makes else [p.name for p in own]
            if arguments and all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in own):
                raise TypeError(
                    f"{name_of(self)}: parameters are given by name ({', '.join(known)}), "
                    f"got {arguments[0]!r:.60}."
                ) from None
            if "unexpected keyword argument" not in str(error):
                raise
            wrong = next((name for name in options if name not in known), None)
            if wrong is None:  # of something that is made in there
                raise
            raise TypeError(
                f"{name_of(self)}: there is no parameter {wrong!r}.{meant(wrong, known)} "
                f"The parameters are {', '.join(known)}."
            ) from None

    return checked  # type: ignore[return-value]
