"""`onstream models`: what there is, read from the code."""

import inspect as reflection
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from ..base import (
    Classifier,
    MultilabelClassifier,
    Regressor,
    Unsupervised,
    learners,
    parts,
)
from ..base.checks import nearest
from ..base.parameters import parameters
from . import options
from .console import output_console
from .names import baselines, generators, meant, metrics, needs_all_at_once, short_names
from .names import family as family_of

WIDE = 110  # columns of a terminal that the table needs


def models(
    name: Annotated[str | None, typer.Argument(help="One of them, in full.")] = None,
    family: Annotated[
        str | None, typer.Option(help="Only one family: linear, tree, streams, evaluate, ...")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List every learner, generator and metric, or describe one.

    \b
    onstream models
    onstream models PAClassifier
    onstream models --family tree --json
    """
    known = everything()
    if name is not None:
        found = [cls for cls in known if name in (cls.__name__, *short_names(cls))]
        if not found:
            names = [word for cls in known for word in (cls.__name__, *short_names(cls))]
            hint = meant(name, names) or " `onstream models` lists what there is."
            raise ValueError(f"onstream: there is no {name!r}.{hint}")
        describe(found, as_json)
        return
    chosen = [cls for cls in known if family in (None, family_of(cls))]
    if not chosen:
        families = sorted({family_of(cls) for cls in known})
        raise ValueError(
            f"onstream: there is no family {family!r}; there are {', '.join(families)}."
            f"{nearest(str(family), families)}"
        )
    if as_json:
        typer.echo(msgspec.json.encode([facts(cls) for cls in chosen]).decode())
        return
    chosen.sort(key=lambda cls: (family_of(cls), cls.__name__))
    console = output_console()
    if console.width >= WIDE:
        console.print(as_table(chosen))
    else:
        list_narrowly(console, chosen)


def as_table(chosen: list[type[Any]]) -> Table:
    """A row for each class."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("family", "name", "learns", "what it is"):
        table.add_column(heading, no_wrap=heading == "name", overflow="fold")
    last = None
    for cls in chosen:
        here = family_of(cls)
        table.add_row(
            here if here != last else "", with_short(cls), kind_of(cls), escape(summary(cls))
        )
        last = here
    return table


def list_narrowly(console: Console, chosen: list[type[Any]]) -> None:
    """A list for narrow terminals: what each is stands below its name."""
    last = None
    for cls in chosen:
        if family_of(cls) != last:
            last = family_of(cls)
            console.print(f"[bold]{last}[/]")
        learns = f"  [dim]{kind_of(cls)}[/]" if kind_of(cls) else ""
        console.print(f"  {with_short(cls)}{learns}", highlight=False)
        console.print(Padding(escape(summary(cls)), (0, 0, 0, 6)), highlight=False)


def everything() -> list[type[Any]]:
    """Every class that people may name."""
    return [
        *learners().values(),
        *parts().values(),
        *baselines().values(),
        *metrics().values(),
        *generators().values(),
    ]


def with_short(cls: type[Any]) -> str:
    """The name, and the short ones after it."""
    short = short_names(cls)
    return f"{cls.__name__} ({', '.join(short)})" if short else cls.__name__


def kind_of(cls: type[Any]) -> str:
    """What it learns."""
    if cls in baselines().values():
        return f"{cls.task}, as a baseline"
    if cls in metrics().values():
        return "(metric)"
    if cls in generators().values():
        return "(generator)"
    if needs_all_at_once(cls):
        return "labels, by fit only" if issubclass(cls, Classifier) else "by fit only"
    if issubclass(cls, Classifier):
        return "labels"
    if issubclass(cls, Regressor):
        return "numbers"
    if issubclass(cls, MultilabelClassifier):
        return "sets of labels"
    if issubclass(cls, Unsupervised):
        return "examples"
    return "features" if hasattr(cls, "transform_one") else ""


def summary(cls: type[Any]) -> str:
    """The first line of its docstring."""
    return (reflection.getdoc(cls) or "").split("\n")[0]


def facts(cls: type[Any]) -> dict[str, Any]:
    """What there is to know of a class, as JSON."""
    defaults = {n: repr(v) for n, v in parameters_of(cls).items()}
    return {
        "name": cls.__name__,
        "module": f"onstream.{family_of(cls)}",
        "short_names": short_names(cls),
        "family": family_of(cls),
        "learns": kind_of(cls),
        "summary": summary(cls),
        "parameters": defaults,
    }


def parameters_of(cls: type[Any]) -> dict[str, Any]:
    """Names and defaults."""
    if cls in {**learners(), **parts()}.values():
        return dict(parameters(cls))
    return {n: p.default for n, p in reflection.signature(cls).parameters.items()}


def describe(found: list[type[Any]], as_json: bool) -> None:
    """Everything about one; about all, if several packages have one of this name."""
    if as_json:
        listed = [facts(cls) for cls in found]
        typer.echo(msgspec.json.encode(listed[0] if len(listed) == 1 else listed).decode())
        return
    console = output_console()
    for cls in found:
        given = ", ".join(
            n if v is reflection.Parameter.empty else f"{n}={v!r}"
            for n, v in parameters_of(cls).items()
        )
        if cls is not found[0]:
            console.print()
        console.print(f"[bold]onstream.{family_of(cls)}.{with_short(cls)}[/]")
        console.print(f"({given})\n", markup=False, highlight=False)
        console.print(reflection.getdoc(cls) or "", markup=False, highlight=False)
