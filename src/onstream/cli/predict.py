"""`onstream predict`: a saved model answers, row by row."""

import csv
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import typer

from ..persist import load
from . import options
from .chunks import chunks
from .columns import LearnedColumns
from .console import left_out, remark, warn_if_most_rejected
from .destination import STANDARD, is_standard, opened_text
from .outputs import check_outputs
from .progress import ProgressBar
from .sources import Input
from .warnings_ import refuse_unknown_rows

BLOCK = 8_192


@options.reads("weight", "shuffle", "epochs", "seed")
def predict(
    model: Annotated[Path, typer.Argument(help="A saved model.")],
    source: options.Source,
    reading: dict[str, Any],
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each label.")
    ] = False,
    score: Annotated[bool, typer.Option("--score", help="Add the decision values.")] = False,
    as_format: Annotated[str, typer.Option("--as", help="csv or jsonl.")] = "csv",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A file; '-' is standard output.")
    ] = STANDARD,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", help="A column to copy into the answers, no feature; repeat it."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict every row of a file; one line out for each line in. A pipe is answered at once.

    A --target is left out: it is the answer.

    \b
    onstream predict bids.onstream new.csv > answers.csv
    onstream predict bids.onstream new.csv --id bid --id user > answers.csv
    cat new.jsonl | onstream predict bids.onstream - -f jsonl --as jsonl --proba
    """
    if as_format not in ("csv", "jsonl"):
        raise ValueError(f"onstream: --as must be csv or jsonl, got {as_format!r}.")
    try:
        learner = load(model)
    except ValueError as error:
        raise ValueError(f"{error} The model comes first: onstream predict MODEL FILE.") from None
    if not hasattr(learner, "predict_many"):
        raise ValueError(f"onstream: {model}: {type(learner).__name__} makes no predictions.")
    if proba and not hasattr(learner, "predict_proba_many"):
        raise ValueError(f"onstream: {type(learner).__name__} has no probabilities; try --score.")
    data = Input(source, reading)
    stream = data.open_unlabelled()
    check_outputs(stream, {"--out": out}, reading["on_error"], model, through=True)
    ids = list(dict.fromkeys(ids or []))
    learned = LearnedColumns.of_file(model)
    has_columns = stream.expect(learned.schema(closed=True, ids=ids))
    if ids and not has_columns:
        raise ValueError("onstream: --id needs a source with columns, such as a CSV file.")
    if ids:
        taken = answers(learner, [], proba=proba, score=score)
        for name in ids:
            if name in taken:
                raise ValueError(f"onstream: --id {name}: the answers have a column of this name.")
    refuse_unknown_rows(columns_known=bool(learned.kinds), any_features=data.any_features)
    watch = data.watch_columns(learned, *(data.drop or ()), *ids)
    silent = quiet or is_standard(out)
    limit = reading["limit"]
    with opened_text(out) as file, ProgressBar("predict", stream, limit, quiet=silent) as bar:
        writer = csv.writer(file, lineterminator="\n")
        heading = None
        for block in chunks(stream, most=BLOCK):
            watch.check(block[0])
            X, copied = apart(block[0], ids)
            table = copied | answers(learner, X, proba=proba, score=score)
            rows = list(zip(*table.values(), strict=True))
            if as_format == "jsonl":
                for row in rows:
                    answer = dict(zip(table, row, strict=True))
                    file.write(msgspec.json.encode(answer).decode() + "\n")
            else:
                if heading is None:
                    heading = list(table)
                    writer.writerow(heading)
                writer.writerows(rows)
            if stream.live:
                file.flush()
            bar.advance(len(rows))
        if heading is None and as_format == "csv":  # a table without rows still has columns
            writer.writerow([*ids, *answers(learner, [], proba=proba, score=score)])
    data.report_columns()
    if stream.rejected and not quiet:
        warn_if_most_rejected(stream)
        remark(left_out(stream, "have no answer"))


def apart(X: Any, ids: list[str]) -> tuple[Any, dict[str, list[Any]]]:
    """The features, and the columns that are only copied."""
    if not ids:
        return X, {}
    return X.drop_columns(ids), {name: X.column(name).to_pylist() for name in ids}


def answers(learner: Any, X: Any, *, proba: bool, score: bool) -> dict[str, list[Any]]:
    """The columns that are asked for, and their values."""
    found: dict[str, list[Any]] = {"prediction": np.asarray(learner.predict_many(X)).tolist()}
    if proba:
        found |= by_label("p", learner.predict_proba_many(X), learner.labels)
    if score:
        found |= by_label("score", learner.score_many(X), getattr(learner, "labels", []))
    return found


def by_label(name: str, values: Any, labels: list[Any]) -> dict[str, list[Any]]:
    """A matrix as one column per label."""
    if values.ndim == 1:
        return {name: values.tolist()}
    return {f"{name}({label})": values[:, r].tolist() for r, label in enumerate(labels)}
