"""`onstream predict`: a saved model answers, row by row."""

import csv
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec
import numpy as np
import typer
from rich.console import Console

from ..persist import load
from . import options
from .live import Live
from .memory import Memory
from .outputs import check_outputs
from .pace import pieces
from .sources import needs_no_label, open_stream

BLOCK = 8_192


def predict(
    model: Annotated[Path, typer.Argument(help="A saved model.")],
    source: options.Source,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each label.")
    ] = False,
    score: Annotated[bool, typer.Option("--score", help="Add the decision values.")] = False,
    as_format: Annotated[str, typer.Option("--as", help="csv or jsonl.")] = "csv",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file, instead of standard output.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="A column to leave out: the answer.")
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", help="A column to copy into the answers, no feature; repeat it."),
    ] = None,
    types: options.Types = None,
    delimiter: options.Delimiter = None,
    no_header: options.NoHeader = False,
    missing: options.Missing = None,
    drop: options.Drop = None,
    only: options.Only = None,
    limit: options.Limit = None,
    skip: options.Skip = 0,
    on_error: options.OnError = "raise",
    format: options.Format = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict every row of a file; one line out for each line in. A pipe is answered at once.

    \b
    onstream predict bids.onstream new.csv > answers.csv
    onstream predict bids.onstream new.csv --id bid --id user > answers.csv
    cat new.jsonl | onstream predict bids.onstream - --format jsonl --as jsonl --proba
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
    stream = open_stream(
        source,
        format=format,
        labelled=needs_no_label(source, format),
        target=target,
        types=types,
        delimiter=delimiter,
        no_header=no_header,
        missing=missing,
        drop=drop,
        only=only,
        limit=limit,
        skip=skip,
        on_error=on_error,
    )
    check_outputs(stream, {"--out": out}, on_error, model)
    ids = list(dict.fromkeys(ids or []))
    has_columns = stream.expect(Memory.of(model).expected(closed=True, ids=ids))
    if ids and not has_columns:
        raise ValueError("onstream: --id needs a source with columns, such as a CSV file.")
    if "prediction" in ids:
        raise ValueError("onstream: --id prediction: the answers have a column of this name.")
    with opened(out) as file, Live("predict", stream, limit, quiet=quiet or out is None) as live:
        writer = csv.writer(file, lineterminator="\n")
        heading = None
        for block in pieces(stream, most=BLOCK):
            X, copied = apart(block[0], ids)
            table = copied | answers(learner, X, proba=proba, score=score)
            rows = list(zip(*table.values(), strict=True))
            if as_format == "jsonl":
                for row in rows:
                    told = dict(zip(table, row, strict=True))
                    file.write(msgspec.json.encode(told).decode() + "\n")
            else:
                if heading is None:
                    heading = list(table)
                    writer.writerow(heading)
                writer.writerows(rows)
            if stream.live:
                file.flush()
            live.advance(len(rows))
    if stream.rejected and not quiet:
        Console(stderr=True).print(
            f"{stream.rejected:,} lines could not be read and have no answer.", style="yellow"
        )


def apart(X: Any, ids: list[str]) -> tuple[Any, dict[str, list[Any]]]:
    """The features, and the columns that are only copied."""
    if not ids:
        return X, {}
    return X.drop_columns(ids), {name: X.column(name).to_pylist() for name in ids}


def answers(learner: Any, X: Any, *, proba: bool, score: bool) -> dict[str, list[Any]]:
    """Columns of what is asked."""
    told: dict[str, list[Any]] = {"prediction": np.asarray(learner.predict_many(X)).tolist()}
    if proba:
        told |= spread("p", learner.predict_proba_many(X), learner.labels)
    if score:
        told |= spread("score", learner.score_many(X), getattr(learner, "labels", []))
    return told


def spread(name: str, values: Any, labels: list[Any]) -> dict[str, list[Any]]:
    """A matrix as one column per label."""
    if values.ndim == 1:
        return {name: values.tolist()}
    return {f"{name}({label})": values[:, r].tolist() for r, label in enumerate(labels)}


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """A file that appears when all of it was written, or standard output."""
    if path is None:
        yield sys.stdout
        return
    scratch = path.with_name(f".{path.name}.part")
    try:
        with scratch.open("w", encoding="utf-8", newline="") as file:
            yield file
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
