"""`onstream train`: learn a stream and save the model."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from ..persist import load
from . import options
from .live import Live
from .memory import Memory
from .pace import CtrlC, pieces
from .paper import paper
from .sources import folder_exists, open_stream, to_learn
from .specs import parse_model


def train(
    source: options.Source,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the model goes.")],
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A learner: 'PAClassifier(C=0.1)'.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="Go on with this saved model instead.")
    ] = None,
    target: options.Target = None,
    weight: options.Weight = None,
    types: options.Types = None,
    delimiter: options.Delimiter = None,
    no_header: options.NoHeader = False,
    missing: options.Missing = None,
    drop: options.Drop = None,
    only: options.Only = None,
    limit: options.Limit = None,
    skip: options.Skip = 0,
    shuffle: options.Shuffle = None,
    epochs: options.Epochs = 1,
    seed: options.Seed = 0,
    on_error: options.OnError = "raise",
    format: options.Format = None,
    every: Annotated[int | None, typer.Option(help="Save after so many rows, too.", min=1)] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn every row, then save the model. Ctrl-C saves what was learned so far.

    Of a pipe, Ctrl-C still learns every row that has arrived.

    \b
    onstream train bids.csv --target won --model 'LogisticRegression()' --out bids.onstream
    onstream train today.csv --target won --from bids.onstream --out bids.onstream
    """
    if model is None and start is None:
        raise ValueError("onstream: say what to train: --model 'LEARNER()' or --from FILE.")
    if model is not None and start is not None:
        raise ValueError("onstream: --model begins anew, --from goes on; say one of them.")
    folder_exists(out)
    learner = parse_model(model) if model is not None else load(start)  # type: ignore[arg-type]
    if not hasattr(learner, "predict_many"):
        raise ValueError(
            f"onstream: {type(learner).__name__} learns no targets; put a learner behind it: "
            f"'StandardScaler() | LogisticRegression()'."
        )
    stream = open_stream(
        source,
        format=format,
        target=target,
        weight=weight,
        types=types,
        delimiter=delimiter,
        no_header=no_header,
        missing=missing,
        drop=drop,
        only=only,
        limit=limit,
        skip=skip,
        shuffle=shuffle,
        epochs=epochs,
        seed=seed,
        on_error=on_error,
    )
    memory = Memory(target) if start is None else Memory.of(start)
    if start is not None:
        if memory.target != target:
            memory.target, memory.target_kind = target, ""
        stream.expect(memory.expected(closed=False))
    rows = 0
    with CtrlC(stream) as ctrl_c, Live("train", stream, limit, quiet=quiet or as_json) as live:
        for block in pieces(stream, ctrl_c):
            learner.learn_many(*to_learn(block))
            memory.meet(block)
            before, rows = rows, rows + len(block[1])
            if every and rows // every > before // every:
                memory.save(learner, out)
            live.advance(len(block[1]))
    memory.save(learner, out)
    rejected = stream.rejected
    if as_json:
        told = {"model": repr(learner), "rows": rows, "rejected": rejected, "file": str(out)}
        typer.echo(msgspec.json.encode(told).decode())
    elif not quiet:
        console = paper()
        left = f", {rejected:,} lines left out" if rejected else ""
        console.print(f"{learner!r} learned {rows:,} rows{left}.", markup=False, soft_wrap=True)
        console.print(f"Saved to {out}.", markup=False, soft_wrap=True)
    if ctrl_c.pressed:
        Console(stderr=True).print(
            f"Interrupted after {rows:,} rows; these are learned and saved.", style="yellow"
        )
        raise typer.Exit(130)
