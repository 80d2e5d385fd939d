"""`onstream train`: learn a stream and save the model."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from ..base.errors import in_stream
from ..base.printable import printable
from ..persist import load
from ..streams.files import same_file
from . import options
from .contenders import saved
from .doubts import leave_lacking
from .faults import FAULTS, Unreadable, with_the_rest
from .live import Live
from .memory import MANY_ROWS, Memory
from .names import check_online
from .outputs import check_models, check_outputs
from .pace import CtrlC, pieces
from .paper import paper, remark, warn_of_most
from .sources import columns, has_any_features, has_target, open_stream, to_learn
from .specs import parse_model


@options.reads()
def train(
    source: options.Source,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the model goes.")],
    reading: dict[str, Any],
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A learner: 'RLS(lam=0.1)'.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="Go on with this saved model instead.")
    ] = None,
    every: Annotated[int | None, typer.Option(help="Save after so many rows, too.", min=1)] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn every row, then save the model. Ctrl-C saves what was learned so far.

    Of a pipe, Ctrl-C still learns every row that has arrived.

    \b
    onstream train bids.csv -t won -m 'LogisticRegression()' -o bids.onstream
    onstream train today.csv --from bids.onstream --out bids.onstream
    """
    if model is None and start is None:
        raise ValueError(
            "onstream: say what to train: --model 'LEARNER()' or --from FILE. "
            "`onstream models` lists the learners."
        )
    if model is not None and start is not None:
        raise ValueError("onstream: --model begins anew, --from goes on; say one of them.")
    if model is not None and saved(model):
        raise ValueError(f"onstream: {model} is a saved model; go on with it by --from {model}.")
    learner = parse_model(model) if model is not None else load(start)  # type: ignore[arg-type]
    check_online(learner)
    if not hasattr(learner, "predict_many"):
        raise ValueError(
            f"onstream: {type(learner).__name__} learns no targets; put a learner behind it: "
            f"'StandardScaler() | LogisticRegression()'."
        )
    memory = Memory(reading["target"]) if start is None else Memory.of(start)
    if reading["target"] is None and has_target(source, reading["format"]):
        reading["target"] = memory.target  # that of the model it goes on with
    stream = open_stream(source, **reading)
    goes_on = start is not None and same_file(start, out)
    check_outputs(stream, {"--out": out}, reading["on_error"], None if goes_on else start)
    check_models("--out", out)
    target, limit = reading["target"], reading["limit"]
    memory.choose(columns(reading["drop"]), columns(reading["only"]))
    if start is not None:
        if memory.target != target:
            memory.target, memory.target_kind = target, ""
        stream.expect(memory.expected(closed=False, labelled=True, goes_on=True))
        if memory.kinds:
            leave_lacking()
    watch = memory.watch(source, memory.drop)
    replaces = not goes_on and out.exists() and out.stat().st_size > 0
    rows, fault, began = 0, None, learner.seen
    with CtrlC(stream) as ctrl_c, Live("train", stream, limit, quiet=quiet or as_json) as live:
        try:
            for block in pieces(stream, ctrl_c):
                watch.see(block[0])
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
    loose = has_any_features(source, reading["format"])
    watch.end(MANY_ROWS if loose else 0)
    if not quiet and not loose:
        watch.tell_new()
    if not quiet:
        warn_of_most(stream)
    if fault is not None:
        raise with_the_rest(fault, rows, out) from None
    if not rows and not ctrl_c.pressed:
        raise ValueError(f"onstream: {source}: there were no rows to learn.")
    if as_json:
        tell_programs(learner, rows, stream.rejected, out, replaces)
    elif rows and not quiet:
        tell(learner, rows, stream.rejected, out, replaces)
    if ctrl_c.pressed:
        remark(interrupted(rows, out))
        raise typer.Exit(130)


def tell(learner: Any, rows: int, rejected: int, out: Path, replaces: bool) -> None:
    """What was learned, and where it is."""
    console = paper()
    left = f", {rejected:,} lines left out" if rejected else ""
    before = ", in place of the earlier model" if replaces else ""
    for line in (f"{learner!r} learned {rows:,} rows{left}.", f"Saved to {out}{before}."):
        console.print(printable(line), markup=False, soft_wrap=True)


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
