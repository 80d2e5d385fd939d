"""`onstream inspect`: what a saved model has learned."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..base.printable import printable
from ..base.union import all_names
from ..core.coding import first_sign
from ..features import Pipeline, StandardScaler
from ..persist import load
from . import options
from .columns import LearnedColumns
from .console import output_console

MOST_COLUMNS = 20  # that are shown


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
    columns = LearnedColumns.of_file(model)
    if as_json:
        found = facts(learner, top)
        if columns.kinds:
            found["columns"], found["target"] = columns.kinds, columns.target
            found["drop"], found["only"] = columns.drop, columns.only
        typer.echo(msgspec.json.encode(found, enc_hook=repr).decode())
        return
    console = output_console()
    console.print(f"[bold]{type(learner).__name__}[/]", highlight=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    last = last_step(learner)
    if last is learner:
        for name, value in learner.params.items():
            if name != "labels" or not hasattr(learner, "labels"):
                table.add_row(shown(name), one_line(value))
    else:
        for number, step in enumerate(learner.steps, 1):
            table.add_row(f"step {number}", one_line(step))
    for name, value in learned(learner, last).items():
        table.add_row(name, value, style="bold")
    if columns.kinds:
        table.add_row("columns", shown(listed_columns(columns)), style="bold")
    if columns.drop:
        table.add_row("left out", shown(", ".join(columns.drop)), style="bold")
    console.print(table)
    if has_weights(last):
        show_weights(console, last, top, scaled=behind_scaler(learner))
    if hasattr(last, "supports"):
        show_supports(console, last.supports, top)
    if hasattr(last, "history"):
        show_population(console, last.members)
    if hasattr(last, "feature_importances"):
        show_importances(console, last.feature_importances, top)
    if hasattr(last, "to_text"):
        console.print()
        text = printable(last.to_text(max_depth=6), lines=True)  # what a screen can show
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, with what it has learned; or the learner itself."""
    return learner.members[-1] if isinstance(learner, Pipeline) else learner


def learned(learner: Any, last: Any) -> dict[str, str]:
    """A few figures of what was learned; those of a tree are its own, also in a pipeline."""
    found = {}
    if hasattr(learner, "seen"):
        found["seen"] = f"{learner.seen:,} examples"
    if hasattr(learner, "labels"):
        found["labels"] = one_line(learner.labels)
    if hasattr(learner, "memory_bytes"):
        found["memory"] = f"{learner.memory_bytes:,} bytes"
    if isinstance(getattr(learner, "value", None), (int, float)):
        found["value"] = f"{learner.value:.6g}"
    for name in ("n_nodes", "n_leaves", "depth"):
        if hasattr(last, name):
            found[name.replace("_", " ")] = f"{getattr(last, name):,}"
    return found


def listed_columns(columns: LearnedColumns) -> str:
    """The columns that the model has learned, with their types; then the target."""
    listed = [f"{name} ({kind})" for name, kind in list(columns.kinds.items())[:MOST_COLUMNS]]
    if len(columns.kinds) > MOST_COLUMNS:
        listed.append(f"... and {len(columns.kinds) - MOST_COLUMNS:,} more")
    return ", ".join(listed) + (f" -> {columns.target}" if columns.target else "")


def has_weights(learner: Any) -> bool:
    """Say whether it has a weight per feature (of kNN, `weights` is a parameter)."""
    return isinstance(getattr(learner, "weights", None), dict)


def one_line(value: Any) -> str:
    """A parameter in one line."""
    text = repr(value)
    return shown(text if len(text) <= 200 else f"{text[:197]}...")


def shown(text: object) -> str:
    """Text from a file as a cell: without escape sequences and markup."""
    return escape(printable(text))


def largest(
    weights: dict[Any, float], top: int, deviations: dict[Any, float]
) -> list[tuple[Any, float]]:
    """The features that weigh most: by weight times deviation, where that is known."""
    return sorted(weights.items(), key=lambda item: -abs(effect(item, deviations)))[:top]


def effect(item: tuple[Any, float], deviations: dict[Any, float]) -> float:
    """What one deviation of a feature adds to the score; its weight, if none is known."""
    return item[1] * deviations.get(item[0], 0.0) if deviations else item[1]


def deviations_of(learner: Any) -> dict[Any, float]:
    """The standard deviation of each feature, of a learner that has scaled them itself; else {}.

    A feature counts as 0 in examples that lack it.
    """
    fields = learner._view() if getattr(learner, "scale", None) == "auto" else {}
    step = fields.get("steps", {}).get("0", {})
    if "scales" not in step:  # behind a scaler, or hashed
        return {}
    count, mean, square = step["scales"][:3]
    share = count / max(step["counted"], 1.0)
    variance = square / max(step["counted"], 1.0) + share * (1.0 - share) * mean**2
    return dict(zip(all_names(fields), np.sqrt(variance.clip(0.0)).tolist(), strict=True))


def behind_scaler(learner: Any) -> bool:
    """Say whether the features that reach the last step have deviation 1."""
    steps = getattr(learner, "steps", None)
    return isinstance(steps, list) and len(steps) > 1 and isinstance(steps[-2], StandardScaler)


def units(deviations: dict[Any, float], *, scaled: bool) -> str:
    """By what features are ranked."""
    if deviations:
        return "ranked by weight times the deviation of the feature, whatever its unit"
    if scaled:
        return "weights are of scaled features, in deviations"
    return "weights are in the units of the columns: a column of small numbers needs a large one"


def by_label(values: Any) -> dict[Any, Any]:
    """Weights of each label; those of two labels, or of numbers, are one set, under None."""
    several = bool(values) and isinstance(next(iter(values.values())), dict)
    return dict(values) if several else {None: values}


def bias_of(learner: Any, label: Any) -> float | None:
    """The constant term, if there is one."""
    bias = getattr(learner, "bias", None) if getattr(learner, "intercept", True) else None
    found = bias.get(label) if isinstance(bias, dict) else bias
    return found if isinstance(found, (int, float)) else None


def bar(weight: float, most: float) -> str:
    """A bar as long as the weight is large; pale if it is negative."""
    if not weight or not most:
        return ""
    return ("█" if weight > 0 else "░") * max(1, round(20 * abs(weight) / most))


def show_weights(console: Console, learner: Any, top: int, *, scaled: bool) -> None:
    """A table of the features that weigh most; with more than two labels, one for each."""
    labels: list[Any] = getattr(learner, "labels", [])
    deviations = deviations_of(learner)
    console.print(f"\n{units(deviations, scaled=scaled)}", highlight=False, soft_wrap=True)
    for label, own in by_label(learner.weights).items():
        if label is None and len(labels) == 2:
            other, positive = labels if first_sign(labels) < 0 else reversed(labels)
            legend = f"█ positive weights speak for {positive!r}, ░ negative ones for {other!r}"
            console.print(printable(legend), markup=False, highlight=False, soft_wrap=True)
        elif label is not None:
            console.print()
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("feature" if label is None else shown(f"feature, for {label!r}"))
        table.add_column("weight", justify="right")
        if deviations:
            table.add_column("x deviation", justify="right")
        table.add_column("")
        rows = largest(own, top, deviations)
        most = abs(effect(rows[0], deviations)) if rows else 0.0
        for name, weight in rows:
            own_effect = effect((name, weight), deviations)
            colour = "green" if weight > 0 else "red" if weight < 0 else None
            cells = [shown(name), f"{weight:.6g}", *([f"{own_effect:.4g}"] if deviations else [])]
            table.add_row(*cells, bar(own_effect, most), style=colour)
        bias = bias_of(learner, label)
        if bias is not None:
            table.add_row("(bias)", f"{bias:.6g}", style="bold")
        console.print(table)
        if len(own) > len(rows):
            console.print(f"... and {len(own) - len(rows):,} more")


def show_supports(console: Console, supports: list[Any], top: int) -> None:
    """The examples that a kernel learner keeps."""
    console.print(f"\n[bold]{len(supports):,} supports[/]")
    for x, coefficient in supports[:top]:
        line = printable(f"{coefficient!r:>12.12}  {x!r:.100}")
        console.print(line, markup=False, highlight=False)
    if len(supports) > top:
        console.print(f"... and {len(supports) - top:,} more")


def show_population(console: Console, members: list[dict[str, Any]]) -> None:
    """The configurations of a selection, the best first."""
    errors = any((member["fitness"] or 0.0) < 0.0 for member in members)  # of numbers
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("squared error" if errors else "accuracy", justify="right")
    table.add_column("since", justify="right")
    table.add_column("configuration", overflow="fold")
    for member in members:
        fitness = member["fitness"]
        judged = (
            "" if fitness is None else f"{-fitness:.6g}" if errors else f"{100 * fitness:.1f} %"
        )
        learner = one_line(member["learner"]) + ("" if member["awake"] else " (asleep)")
        table.add_row(judged, f"{member['born']:,}", learner)
    console.print(f"\n[bold]{len(members):,} configurations[/], each judged by its last answers")
    console.print(table)


def facts(learner: Any, top: int) -> dict[str, Any]:
    """The same as JSON."""
    found: dict[str, Any] = {
        "class": type(learner).__name__,
        "params": {name: for_json(value) for name, value in learner.params.items()},
    }
    for name in ("seen", "memory_bytes", "labels"):
        if hasattr(learner, name):
            found[name] = getattr(learner, name)
    if isinstance(getattr(learner, "value", None), (int, float)):
        found["value"] = learner.value
    last = last_step(learner)
    if has_weights(last):
        sets, deviations = by_label(last.weights), deviations_of(last)
        found["weights"] = [
            {"label": label, "feature": name, "weight": weight}
            | ({"deviation": deviations[name]} if deviations else {})
            for label, own in sets.items()
            for name, weight in largest(own, top, deviations)
        ]
        biases = {label: bias_of(last, label) for label in sets}
        found["bias"] = [
            {"label": label, "bias": bias} for label, bias in biases.items() if bias is not None
        ]
    if hasattr(last, "supports"):
        found["supports"] = [[for_json(x), for_json(a)] for x, a in last.supports[:top]]
    if hasattr(last, "history"):
        found["members"] = [{**row, "learner": repr(row["learner"])} for row in last.members]
    if hasattr(last, "to_text"):
        found["tree"] = last.to_text()
        found["feature_importances"] = [
            {"feature": name, "share": share}
            for name, share in list(last.feature_importances.items())[:top]
        ]
    return found


def show_importances(console: Console, shares: dict[Any, float], top: int) -> None:
    """The features whose splits separate most."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, share in list(shares.items())[:top]:
        table.add_row(shown(name), f"{100 * share:.1f} %")
    if shares:
        console.print("\nshare of each feature in what the questions sort", highlight=False)
        console.print(table)


def for_json(value: Any) -> Any:
    """Something that JSON can hold."""
    return value if isinstance(value, (bool, int, float, str, type(None), dict)) else repr(value)
