"""`onstream generate` and `onstream convert`: streams into files."""

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .live import Live
from .outputs import check_outputs
from .paper import paper
from .sources import format_of, is_generator, open_stream
from .writers import WRITERS, writer_for

BLOCK = 8_192


def generate(
    generator: Annotated[str, typer.Argument(help="Such as 'SEA(function=2, seed=1)'.")],
    rows: Annotated[int, typer.Option("--rows", "--limit", "-n", help="How many rows.", min=1)],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file; its ending tells the format.")
    ],
    format: options.Format = None,
    quiet: options.Quiet = False,
) -> None:
    """Write examples of a generator to a file; the column of the target is called y.

    \b
    onstream generate 'SEA()' --rows 100000 --out sea.csv
    onstream generate 'Drift(SEA(), SEA(function=3), at=5000)' --rows 10000 --out drift.parquet
    """
    if not is_generator(generator):
        generator = f"{generator}()"
    stream = open_stream(generator, limit=rows)
    check_outputs(stream, {"--out": out}, "raise")
    written = write(stream, out, format, limit=rows, target="y", title="generate", quiet=quiet)
    if not quiet:
        paper().print(f"{written:,} rows in {out}.", soft_wrap=True)


def convert(
    source: options.Source,
    out: Annotated[Path, typer.Argument(help="The new file; its ending tells the format.")],
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
    on_error: options.OnError = "raise",
    format: options.Format = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of the new file.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Turn a file into another format.

    \b
    onstream convert bids.csv bids.parquet --target won
    onstream convert news.libsvm news.vw
    """
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
        on_error=on_error,
    )
    check_outputs(stream, {"the new file": out}, on_error)
    name = target or "y"
    written = write(stream, out, to, limit=limit, target=name, title="convert", quiet=quiet)
    if not quiet:
        left = f", {stream.rejected:,} lines left out" if stream.rejected else ""
        paper().print(f"{written:,} rows in {out}{left}.", soft_wrap=True)


def write(
    stream: object,
    out: Path,
    format: str | None,
    *,
    limit: int | None,
    target: str,
    title: str,
    quiet: bool,
) -> int:
    """All of a stream into a file."""
    wanted = format or format_of(str(out))
    if wanted not in WRITERS:
        raise ValueError(f"onstream: {wanted} files cannot be written; use {', '.join(WRITERS)}.")
    rows = 0
    with Live(title, stream, limit, quiet=quiet) as live, writer_for(wanted, out, target) as file:
        for block in stream.batches(BLOCK):  # type: ignore[attr-defined]
            done = file.write(block)
            rows += done
            live.advance(done)
    return rows
