"""`onstream generate` and `onstream convert`: streams into files."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..streams.columns import Schema
from . import options
from .console import print_line, remark, warn_if_most_rejected
from .destination import is_standard
from .outputs import check_outputs
from .progress import ProgressBar
from .sources import format_of, is_generator, open_stream
from .writers import WRITERS, writer_for

BLOCK = 8_192
BINARY = ("parquet", "ipc")


def generate(
    generator: Annotated[str, typer.Argument(help="Such as 'SEA(function=2, seed=1)'.")],
    rows: Annotated[int, typer.Option("--rows", "--limit", "-n", help="How many rows.", min=1)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="The file; its ending tells the format. '-': standard output."
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", help="csv, parquet, ipc, jsonl, libsvm or vw."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Write examples of a generator to a file; the column of the target is called y.

    \b
    onstream generate 'SEA()' --rows 100000 --out sea.csv
    onstream generate 'Drift(SEA(), SEA(function=3))' --rows 9000 -o drift.parquet
    onstream generate 'SEA()' --rows 5 --format csv --out -
    """
    if not is_generator(generator):
        generator = f"{generator}()"
    stream = open_stream(generator, limit=rows)
    check_outputs(stream, {"--out": out}, "raise", through=True)
    format = format or format_of(str(out), "output", formats=WRITERS)
    written = write(stream, out, format, limit=rows, target="y", title="generate", quiet=quiet)
    if not quiet:
        report(f"{written:,} rows in {out}.", out)


@options.reads("shuffle", "epochs", "seed")
def convert(
    source: options.Source,
    out: Annotated[
        Path,
        typer.Argument(help="The new file; its ending tells the format. '-': standard output."),
    ],
    reading: dict[str, Any],
    to: Annotated[str | None, typer.Option("--to", help="Format of the new file.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Turn a file into another format.

    \b
    onstream convert bids.csv bids.parquet --target won
    onstream convert news.libsvm news.vw
    zcat bids.csv.gz | onstream convert - - --format csv --to jsonl | head
    """
    stream = open_stream(source, **reading)
    check_outputs(stream, {"the new file": out}, reading["on_error"], through=True)
    stream.expect(Schema(whole=True))
    to = to or format_of(str(out), "output", "--to", WRITERS)
    target = reading["target"] or "y"
    written = write(
        stream, out, to, limit=reading["limit"], target=target, title="convert", quiet=quiet
    )
    if not quiet:
        warn_if_most_rejected(stream)
        left = f", {stream.rejected:,} lines left out" if stream.rejected else ""
        report(f"{written:,} rows in {out}{left}.", out)


def write(
    stream: Any,
    out: Path,
    format: str,
    *,
    limit: int | None,
    target: str,
    title: str,
    quiet: bool,
) -> int:
    """Write all of a stream to a file; how many rows."""
    if format not in WRITERS:
        raise ValueError(f"onstream: {format} files cannot be written; use {', '.join(WRITERS)}.")
    if format in BINARY and is_standard(out) and sys.stdout.isatty():
        raise ValueError(f"onstream: {format} is nothing for a terminal; name a file, or use csv.")
    rows = 0
    quiet = quiet or (is_standard(out) and sys.stdout.isatty())  # a bar among the rows
    with (
        ProgressBar(title, stream, limit, quiet=quiet) as bar,
        writer_for(format, out, target) as file,
    ):
        for block in stream.batches(BLOCK):
            done = file.write(block)
            rows += done
            bar.advance(done)
    return rows


def report(text: str, out: Path) -> None:
    """What was done; on standard error if the rows go to standard output."""
    if is_standard(out):
        remark(text, "none")
    else:
        print_line(text)
