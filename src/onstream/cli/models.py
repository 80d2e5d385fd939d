"""`onstream models`: what there is, read from the code."""

import inspect as reflection
from typing import Annotated, Any

import msgspec
import typer
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
from ..base.learner import parameters
from . import options
from .names import by_name, meant, needs_all_at_once, short_names
from .paper import paper


def models(
    name: Annotated[str | None, typer.Argument(help="One of them, in full.")] = None,
    family: Annotated[str | None, typer.Option(help="Only one family: linear, tree, ...")] = None,
    as_json: options.Json = False,
) -> None:
    """List every learner, or describe one.

    \b
    onstream models
    onstream models PAClassifier
    onstream models --family tree --json
    """
    known = {**learners(), **parts()}
    if name is not None:
        cls = by_name().get(name)
        if cls is None:
            raise ValueError(f"onstream: there is no model {name!r}.{meant(name, by_name())}")
        describe(cls.__name__ if name in short_names(cls) else name, cls, as_json)
        return
    chosen = {n: cls for n, cls in known.items() if family in (None, family_of(cls))}
    if not chosen:
        families = sorted({family_of(cls) for cls in known.values()})
        raise ValueError(
            f"onstream: there is no family {family!r}; there are {', '.join(families)}."
            f"{nearest(str(family), families)}"
        )
    if as_json:
        typer.echo(msgspec.json.encode([facts(n, cls) for n, cls in chosen.items()]).decode())
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("family", "name", "learns", "what it is"):
        table.add_column(heading, no_wrap=heading == "name", overflow="fold")
    last = None
    for n, cls in sorted(chosen.items(), key=lambda item: (family_of(item[1]), item[0])):
        here = family_of(cls)
        table.add_row(
            here if here != last else "", with_short(n, cls), kind_of(cls), summary(cls), style=None
        )
        last = here
    paper().print(table)


def family_of(cls: type[Any]) -> str:
    """The package it comes from."""
    return cls.__module__.split(".")[1]


def with_short(name: str, cls: type[Any]) -> str:
    """The name, and the short ones after it."""
    short = short_names(cls)
    return f"{name} ({', '.join(short)})" if short else name


def kind_of(cls: type[Any]) -> str:
    """What it learns."""
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


def facts(name: str, cls: type[Any]) -> dict[str, Any]:
    """The same for programs."""
    defaults = {n: repr(v) for n, v in parameters(cls).items()}
    return {
        "name": name,
        "short_names": short_names(cls),
        "family": family_of(cls),
        "learns": kind_of(cls),
        "summary": summary(cls),
        "parameters": defaults,
    }


def describe(name: str, cls: type[Any], as_json: bool) -> None:
    """Everything about one."""
    if as_json:
        typer.echo(msgspec.json.encode(facts(name, cls)).decode())
        return
    console = paper()
    given = ", ".join(
        n if v is reflection.Parameter.empty else f"{n}={v!r}" for n, v in parameters(cls).items()
    )
    console.print(f"[bold]onstream.{family_of(cls)}.{with_short(name, cls)}[/]")
    console.print(f"({given})\n", markup=False, highlight=False)
    console.print(reflection.getdoc(cls) or "", markup=False, highlight=False)
