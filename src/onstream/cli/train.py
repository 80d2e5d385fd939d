"""`onstream train`: learn a stream and save the model."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from ..base.errors import in_stream
from ..persist import load
from ..streams.files import same_file
from . import options
from .faults import FAULTS, Unreadable, with_the_rest
from .live import Live
from .memory import Memory
from .names import check_online
from .outputs import check_models, check_outputs
from .pace import CtrlC, pieces
from .paper import paper
from .sources import open_stream, to_learn
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
    learner = parse_model(model) if model is not None else load(start)  # type: ignore[arg-type]
    check_online(learner)
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
    goes_on = start is not None and same_file(start, out)
    check_outputs(stream, {"--out": out}, on_error, None if goes_on else start)
    check_models("--out", out)
    memory = Memory(target) if start is None else Memory.of(start)
    if start is not None:
        if memory.target != target:
            memory.target, memory.target_kind = target, ""
        stream.expect(memory.expected(closed=False))
    replaces = not goes_on and out.exists() and out.stat().st_size > 0
    rows, fault, began = 0, None, learner.seen
    with CtrlC(stream) as ctrl_c, Live("train", stream, limit, quiet=quiet or as_json) as live:
        try:
            for block in pieces(stream, ctrl_c):
                memory.meet(block)
                learner.learn_many(*to_learn(block))
                before, rows = rows, rows + len(block[1])
                if every and rows // every > before // every:
                    memory.save(learner, out)
                live.advance(len(block[1]))
        except FAULTS as error:
            if not isinstance(error, (Unreadable, OSError)):  # of a line, or a file
                error.args = (in_stream(error, rows + 1),)
            rows = learner.seen - began  # with those of the last block that were learned
            if not rows:
                raise
            fault = error
    if rows:
        memory.save(learner, out)
    if fault is not None:
        raise with_the_rest(fault, rows, out) from None
    if not rows and not ctrl_c.pressed:
        raise ValueError(f"onstream: {source}: there were no rows to learn.")
    if as_json:
        tell_programs(learner, rows, stream.rejected, out, replaces)
    elif rows and not quiet:
        tell(learner, rows, stream.rejected, out, replaces)
    if ctrl_c.pressed:
        Console(stderr=True).print(interrupted(rows, out), style="yellow", soft_wrap=True)
        raise typer.Exit(130)


def tell(learner: Any, rows: int, rejected: int, out: Path, replaces: bool) -> None:
    """What was learned, and where it is."""
    console = paper()
    left = f", {rejected:,} lines left out" if rejected else ""
    console.print(f"{learner!r} learned {rows:,} rows{left}.", markup=False, soft_wrap=True)
    before = ", in place of the earlier model" if replaces else ""
    console.print(f"Saved to {out}{before}.", markup=False, soft_wrap=True)


def tell_programs(learner: Any, rows: int, rejected: int, out: Path, replaces: bool) -> None:
    """The same as JSON; the file is null if nothing was learned."""
    told = {
        "model": repr(learner),
        "rows": rows,
        "rejected": rejected,
        "file": str(out) if rows else None,
        "replaced": replaces and rows > 0,
    }
    typer.echo(msgspec.json.encode(told).decode())


def interrupted(rows: int, out: Path) -> str:
    """What Ctrl-C left."""
    if rows:
        return f"Interrupted after {rows:,} rows; these are learned and saved."
    kept = f"{out} is as it was" if out.exists() else "nothing was saved"
    return f"Interrupted before the first row: nothing was learned, {kept}."
