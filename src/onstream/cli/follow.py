"""`onstream follow`: learn a file that grows, for as long as it does."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .console import print_line, remark
from .following import Following
from .interrupt import CtrlC
from .progress import ProgressBar
from .sources import Input


@options.reads("limit", "skip", "shuffle", "epochs", "seed", "newlines_in_values")
def follow(
    source: Annotated[str, typer.Argument(help="A file of lines that grows.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where the model goes, with its place in the file.")
    ],
    reading: dict[str, Any],
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A learner to begin with: 'RLS(lam=0.1)'.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="A saved model to begin with instead.")
    ] = None,
    at_end: Annotated[
        bool, typer.Option("--at-end", help="Begin with the lines that come from now on.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Learn the lines that are there, and wait for no more.")
    ] = False,
    every: Annotated[
        int, typer.Option(help="Rows from one line of figures, and one save, to the next.", min=1)
    ] = 1000,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Accuracy, RMSE, 'F1(positive=1)', ...; repeat it."),
    ] = None,
    window: Annotated[int, typer.Option(help="Rows of the sliding estimates.", min=1)] = 1000,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict each new line of a file, then learn it; save the model; wait for more.

    Ctrl-C, or SIGTERM, saves and ends; the same command goes on where it stopped.

    The place is kept in the model's file. A file that is cut short begins again.

    \b
    onstream follow clicks.csv -t won -m 'LogisticRegression()' -o m.onstream
    onstream follow log.jsonl -t bytes -m 'RLS()' -o log.onstream --at-end
    onstream follow clicks.csv -t won -o m.onstream --once
    """
    data = Input(source, reading)
    following = Following(
        data, out, every, window, metric, model=model, start=start, at_end=at_end, once=once
    )
    following.show_figures = None if quiet else "json" if as_json else "text"
    with (
        CtrlC(following) as ctrl_c,
        ProgressBar("follow", following, None, quiet=quiet or as_json) as bar,
    ):
        following.run(bar)
    data.report()
    if not quiet and not as_json:
        print_line(following.summary())
    if ctrl_c.pressed:
        remark(f"Interrupted; {source} goes on at line {following.place.line:,}.")
        raise typer.Exit(130)
