"""The options that readers share: declared, documented and filled in once.

A reader names its own parameters, and takes the others as `**common: Unpack[...]`. Its signature
and docstring show all of them. A new option of all readers is a line in each of the three parts
below: its type, its default, its description.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar, cast, get_args

from ..base.parameters import entries, with_entries
from .files import PathLike

Function = TypeVar("Function", bound=Callable[..., Any])


class StreamOptions(TypedDict, total=False):
    """Options of everything that makes a stream."""

    skip: int
    limit: int | None
    shuffle: int | None
    seed: int
    epochs: int


class ReaderOptions(StreamOptions, total=False):
    """Options of readers whose rows may be damaged."""

    on_error: PathLike


class TableOptions(ReaderOptions, total=False):
    """Options of readers whose rows have columns."""

    weight: str | int | None
    drop: list[str] | str | None
    only: list[str] | str | None


DEFAULTS = {  # in the order in which they are shown
    "weight": None,
    "drop": None,
    "only": None,
    "skip": 0,
    "limit": None,
    "shuffle": None,
    "seed": 0,
    "epochs": 1,
    "on_error": "raise",
}

DESCRIPTIONS = entries(
    """\
Parameters
----------
path : path, pattern such as "days/*.csv", list of them, or "-" for standard input
    Text that ends in, or begins like, .gz, .bz2 and .zst is decompressed. Several files that
    have columns must have the same ones.
target : name or number of a column, default None
    What is to be learned. All columns but target and weight are features.
weight : name or number of a column, default None
    How much each row counts.
drop : list of features, default None
    Features to leave out.
only : list of features, default None
    Features to take, no others.
skip : int, default 0
    Rows to leave out at the beginning.
limit : int, default None
    Rows to take at most.
shuffle : int, default None
    Rows of a buffer for random order.
seed : int, default 0
    Seed of that order.
epochs : int, default 1
    How many times to go over the rows.
on_error : "raise", "skip" or a path, default "raise"
    What to do with a line that cannot be read: a path collects such lines, each after the
    reason and a tab. `rejected` counts them, `messages` has the first reasons.
"""
)


def with_common_options(reader: Function) -> Function:
    """Show the options behind `**common` in signature and docstring, and fill in their defaults."""
    kind = get_args(reader.__annotations__["common"])[0]
    own = [p for p in inspect.signature(reader).parameters.values() if p.kind is not p.VAR_KEYWORD]
    hints = kind.__annotations__
    defaults = {name: default for name, default in DEFAULTS.items() if name in hints}
    common = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=hints[name]
        )
        for name, value in defaults.items()
    ]
    known = {p.name: p for p in (*own, *common)}

    @functools.wraps(reader)
    def called(*arguments: Any, **options: Any) -> Any:
        for name in options:
            if name not in known:
                raise TypeError(f"{reader.__name__}() got an unexpected keyword argument {name!r}")
        return reader(*arguments, **(defaults | options))

    called.__signature__ = inspect.signature(reader).replace(  # type: ignore[attr-defined]
        parameters=list(known.values())
    )
    doc = inspect.cleandoc(reader.__doc__ or "")
    described = DESCRIPTIONS | entries(doc)
    called.__doc__ = with_entries(doc, [described[name] for name in known])
    return cast(Function, called)
