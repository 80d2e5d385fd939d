"""`onstream train`: learn a stream and save the model."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from ..base.errors import in_stream
from ..evaluate.choices import answers_of
from ..persist import load
from ..streams.files import same_file
from . import options
from .chunks import chunks
from .columns import LearnedColumns
from .console import print_line, remark
from .contenders import saved
from .errors import EXPECTED_ERRORS, Unreadable, with_rows_learned
from .interrupt import CtrlC
from .names import check_online
from .outputs import check_models, check_outputs
from .parse import parse_model
from .progress import ProgressBar
from .sharded import check_options, train_on
from .sources import Input, to_learn
from .targets import Targets
from .warnings_ import ignore_missing_columns

SAMPLE = 1000  # rows that tell the columns of files that workers read
MIX_EVERY = 100_000  # as in cluster/training.py


@options.reads()
def train(
    source: options.Source,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the model goes.")],
    reading: dict[str, Any],
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A learner: 'RLS(lam=0.1)'.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="Go on with this saved model instead.")
    ] = None,
    every: Annotated[int | None, typer.Option(help="Save after so many rows, too.", min=1)] = None,
    engine: Annotated[
        str | None, typer.Option(help="Divide the files among workers: ray, spark or local.")
    ] = None,
    workers: Annotated[int, typer.Option(help="How many workers, with --engine.", min=1)] = 2,
    mix_every: Annotated[
        int, typer.Option(help="Rows of a worker from one mix to the next.", min=1)
    ] = MIX_EVERY,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn every row, then save the model. Ctrl-C saves what was learned so far.

    Of a pipe, Ctrl-C still learns every row that has arrived.

    \b
    onstream train bids.csv -t won -m 'LogisticRegression()' -o bids.onstream
    onstream train today.csv --from bids.onstream --out bids.onstream
    onstream train 'part-*.csv' -t won -m 'AROW()' -o m --engine ray
    """
    if model and len(model) > 1:
        raise ValueError(
            f"onstream: train learns one model, and --model is given {len(model)} times; name "
            f"one. `onstream run` compares several, and --save keeps them all."
        )
    text = model[0] if model else None
    if text is None and start is None:
        raise ValueError(
            "onstream: say what to train: --model 'LEARNER()' or --from FILE. "
            "`onstream models` lists the learners."
        )
    if text is not None and start is not None:
        raise ValueError("onstream: --model begins anew, --from goes on; say one of them.")
    if text is not None and saved(text):
        raise ValueError(f"onstream: {text} is a saved model; go on with it by --from {text}.")
    learner = parse_model(text) if text is not None else load(start)  # type: ignore[arg-type]
    check_online(learner)
    if not hasattr(learner, "predict_many"):
        raise ValueError(
            f"onstream: {type(learner).__name__} learns no targets; put a learner behind it: "
            f"'StandardScaler() | LogisticRegression()'."
        )
    learned = LearnedColumns(reading["target"]) if start is None else LearnedColumns.of_file(start)
    data = Input(source, reading)
    stream = data.open(learned.target)  # that of the model it goes on with
    goes_on = start is not None and same_file(start, out)
    check_outputs(stream, {"--out": out}, reading["on_error"], None if goes_on else start)
    check_models("--out", out)
    target, limit = reading["target"], reading["limit"]
    learned.choose(data.drop, data.only)
    if start is not None:
        if learned.target != target:
            learned.target, learned.target_kind = target, ""
        stream.expect(learned.schema(closed=False, labelled=True, goes_on=True))
        if learned.kinds:
            ignore_missing_columns()
    watch = data.watch_columns(learned, *(learned.drop or ()))
    schema = None
    if start is not None and learned.kinds:
        schema = learned.schema(closed=False, labelled=True, goes_on=True)
    replaces = not goes_on and out.exists() and out.stat().st_size > 0
    if engine is not None:
        check_options(data, reading, every)
        sample = stream.block(SAMPLE)
        watch.check(sample[0])
        learned.add(sample)
        to_learn(sample)
        with ProgressBar("train", stream, None, quiet=quiet or as_json) as bar:
            options = {"workers": workers, "mix_every": mix_every}
            learner, rows, broken = train_on(engine, learner, data, schema, bar, **options)
        learned.save(learner, out)
        if as_json:
            show_json(learner, rows, 0, out, replaces)
        elif not quiet:
            show(learner, rows, 0, out, replaces)
        if broken:
            remark(f"Interrupted after {rows:,} rows; those of the last mix are saved.")
            raise typer.Exit(130)
        return
    targets = Targets(reading["target"]) if answers_of(learner) == "labels" else None
    rows, stopped, began = 0, None, learner.seen
    with (
        CtrlC(stream) as ctrl_c,
        ProgressBar("train", stream, limit, quiet=quiet or as_json, skipped=reading["skip"]) as bar,
    ):
        try:
            for block in chunks(stream, ctrl_c):
                watch.check(block[0])
                learned.add(block)
                if targets is not None:
                    targets.add(to_learn(block)[1])
                learner.learn_many(*to_learn(block))
                before, rows = rows, rows + len(block[1])
                if every and rows // every > before // every:
                    learned.save(learner, out)
                bar.advance(len(block[1]))
        except EXPECTED_ERRORS as error:
            if not isinstance(error, (Unreadable, OSError)):  # of a line, or a file
                error.args = (in_stream(error, rows + 1),)
            rows = learner.seen - began  # with those of the last block that were learned
            if not rows:
                raise
            stopped = error
    if rows:
        learned.save(learner, out)
    data.report_columns()
    if targets is not None:
        targets.warn()
    if not quiet:
        data.report()
    if stopped is not None:
        raise with_rows_learned(stopped, rows, out) from stopped
    if not rows and not ctrl_c.pressed:
        raise ValueError(f"onstream: {data.name}: there were no rows to learn.")
    if as_json:
        show_json(learner, rows, stream.rejected, out, replaces)
    elif rows and not quiet:
        show(learner, rows, stream.rejected, out, replaces)
    if ctrl_c.pressed:
        remark(interrupted(rows, out))
        raise typer.Exit(130)


def show(learner: Any, rows: int, rejected: int, out: Path, replaces: bool) -> None:
    """What was learned, and where it is."""
    left = f", {rejected:,} lines left out" if rejected else ""
    before = ", in place of the earlier model" if replaces else ""
    print_line(f"{learner!r} learned {rows:,} rows{left}.")
    print_line(f"Saved to {out}{before}.")


def show_json(learner: Any, rows: int, rejected: int, out: Path, replaces: bool) -> None:
    """The same as JSON; the file is null if nothing was learned."""
    facts = {
        "model": repr(learner),
        "rows": rows,
        "rejected": rejected,
        "file": str(out) if rows else None,
        "replaced": replaces and rows > 0,
    }
    typer.echo(msgspec.json.encode(facts).decode())


def interrupted(rows: int, out: Path) -> str:
    """What is there after Ctrl-C."""
    if rows:
        return f"Interrupted after {rows:,} rows; these are learned and saved."
    kept = f"{out} is as it was" if out.exists() else "nothing was saved"
    return f"Interrupted before the first row: nothing was learned, {kept}."
