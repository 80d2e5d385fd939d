"""`onstream inspect`: what a saved model has learned."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ..persist import load
from . import options
from .paper import paper


def inspect(
    model: Annotated[Path, typer.Argument(help="A saved model.")],
    top: Annotated[int, typer.Option(help="How many weights or supports to show.", min=1)] = 20,
    as_json: options.Json = False,
) -> None:
    """Show a saved model: parameters, labels, memory, and what weighs most.

    \b
    onstream inspect bids.onstream
    onstream inspect bids.onstream --top 5 --json
    """
    learner = load(model)
    if as_json:
        typer.echo(msgspec.json.encode(facts(learner, top), enc_hook=repr).decode())
        return
    console = paper()
    console.print(f"[bold]{type(learner).__name__}[/]", highlight=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in learner.params.items():
        if name != "labels" or not hasattr(learner, "labels"):
            table.add_row(name, told(value))
    if hasattr(learner, "seen"):
        table.add_row("seen", f"{learner.seen:,} examples", style="bold")
    if hasattr(learner, "labels"):
        table.add_row("labels", told(learner.labels), style="bold")
    if hasattr(learner, "memory_bytes"):
        table.add_row("memory", f"{learner.memory_bytes:,} bytes", style="bold")
    if isinstance(getattr(learner, "value", None), (int, float)):
        table.add_row("value", f"{learner.value:.6g}", style="bold")
    for name in ("n_nodes", "n_leaves", "depth"):
        if hasattr(learner, name):
            table.add_row(name.replace("_", " "), f"{getattr(learner, name):,}", style="bold")
    console.print(table)
    if has_weights(learner):
        show_weights(console, learner.weights, top)
    if hasattr(learner, "supports"):
        show_supports(console, learner.supports, top)
    if hasattr(learner, "feature_importances"):
        show_importances(console, learner.feature_importances, top)
    if hasattr(learner, "to_text"):
        console.print()
        text = learner.to_text(max_depth=6)  # what a screen can show
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    for step in getattr(learner, "steps", ()):
        console.print(f"step {step!r}", markup=False, highlight=False)


def has_weights(learner: Any) -> bool:
    """Say whether it weighs features (to neighbours `weights` is a parameter)."""
    return isinstance(getattr(learner, "weights", None), dict)


def told(value: Any) -> str:
    """A parameter in one line."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def heaviest(weights: dict[Any, float], top: int) -> list[tuple[Any, float]]:
    """The features with the largest weights."""
    return sorted(weights.items(), key=lambda item: -abs(item[1]))[:top]


def show_weights(console: Console, weights: Any, top: int) -> None:
    """A table of the heaviest features; with more than two labels, one for each."""
    several = bool(weights) and isinstance(next(iter(weights.values())), dict)
    for label, own in (weights if several else {None: weights}).items():
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("feature" if label is None else f"feature, for {label!r}")
        table.add_column("weight", justify="right")
        table.add_column("")
        rows = heaviest(own, top)
        most = abs(rows[0][1]) if rows else 0.0
        for name, weight in rows:
            bar = "█" * max(1, round(20 * abs(weight) / most)) if most else ""
            table.add_row(str(name), f"{weight:.6g}", bar, style="green" if weight > 0 else "red")
        console.print()
        console.print(table)
        if len(own) > len(rows):
            console.print(f"... and {len(own) - len(rows):,} more")


def show_supports(console: Console, supports: list[Any], top: int) -> None:
    """The examples that a kernel learner keeps."""
    console.print(f"\n[bold]{len(supports):,} supports[/]")
    for x, coefficient in supports[:top]:
        console.print(f"{coefficient!r:>12.12}  {x!r:.100}", markup=False, highlight=False)
    if len(supports) > top:
        console.print(f"... and {len(supports) - top:,} more")


def facts(learner: Any, top: int) -> dict[str, Any]:
    """The same for programs."""
    found: dict[str, Any] = {
        "class": type(learner).__name__,
        "params": {name: plain(value) for name, value in learner.params.items()},
    }
    for name in ("seen", "memory_bytes", "labels"):
        if hasattr(learner, name):
            found[name] = getattr(learner, name)
    if isinstance(getattr(learner, "value", None), (int, float)):
        found["value"] = learner.value
    if has_weights(learner):
        weights = learner.weights
        several = bool(weights) and isinstance(next(iter(weights.values())), dict)
        found["weights"] = [
            {"label": label, "feature": name, "weight": weight}
            for label, own in (weights if several else {None: weights}).items()
            for name, weight in heaviest(own, top)
        ]
    if hasattr(learner, "supports"):
        found["supports"] = [[plain(x), plain(a)] for x, a in learner.supports[:top]]
    if hasattr(learner, "to_text"):
        found["tree"] = learner.to_text()
        found["feature_importances"] = [
            {"feature": name, "share": share}
            for name, share in list(learner.feature_importances.items())[:top]
        ]
    return found


def show_importances(console: Console, shares: dict[Any, float], top: int) -> None:
    """The features whose questions sort most."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, share in list(shares.items())[:top]:
        table.add_row(str(name), f"{100 * share:.1f} %")
    if shares:
        console.print("\nshare of each feature in what the questions sort", highlight=False)
        console.print(table)


def plain(value: Any) -> Any:
    """Something that JSON can hold."""
    return value if isinstance(value, (bool, int, float, str, type(None), dict)) else repr(value)
