"""Options that several subcommands share."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option

from .warnings_ import silence_warnings

Source = Annotated[str, Argument(help="A file, '-' for standard input, or a generator: 'SEA()'.")]
Json = Annotated[bool, Option("--json", help="Write JSON to standard output.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress, no remarks.")]


def reading(
    *,
    target: Annotated[
        str | None, Option("--target", "-t", help="The column to be learned.")
    ] = None,
    weight: Annotated[
        str | None, Option(help="The column that says how much a row counts.")
    ] = None,
    drop: Annotated[
        list[str] | None, Option(help="Columns to leave out: 'id,date'; repeat it.")
    ] = None,
    only: Annotated[list[str] | None, Option(help="Columns to use, no others; repeat it.")] = None,
    types: Annotated[
        list[str] | None, Option(help="Types of CSV columns: 'zip=str,n=float'; repeat it.")
    ] = None,
    delimiter: Annotated[
        str | None, Option(help="Between the columns of a CSV file: ';', tab.")
    ] = None,
    decimal: Annotated[
        str | None, Option(help="',' if a CSV file writes numbers such as 0,5.")
    ] = None,
    encoding: Annotated[
        str | None, Option(help="Of a CSV file, if not UTF-8: cp1252, utf-16.")
    ] = None,
    newlines_in_values: Annotated[
        bool, Option("--newlines-in-values", help="Quoted values of a CSV file may span lines.")
    ] = False,
    no_header: Annotated[
        bool,
        Option("--no-header", help="A CSV file without a line of names: columns are 0, 1, ..."),
    ] = False,
    missing: Annotated[
        list[str] | None, Option(help="A text that means a missing value: -999; repeat it.")
    ] = None,
    limit: Annotated[int | None, Option(help="Read at most so many rows.", min=1)] = None,
    skip: Annotated[int, Option(help="Leave out so many rows first.", min=0)] = 0,
    shuffle: Annotated[
        int | None, Option(help="Random order, out of a buffer of so many rows.", min=1)
    ] = None,
    epochs: Annotated[int, Option(help="Go over the files so many times.", min=1)] = 1,
    seed: Annotated[int, Option(help="Seed of the random order.", min=0)] = 0,
    on_error: Annotated[
        str, Option(help="Lines that cannot be read: raise, skip, or a file for them.")
    ] = "raise",
    format: Annotated[
        str | None, Option("--format", "-f", help="csv, parquet, ipc, jsonl, libsvm, vw or arff.")
    ] = None,
) -> None:
    """Declare how to read a source, by the options of the readers in onstream.streams.

    Lists are repeated, or separated by commas where several columns are meant.
    """


READING = [
    p.replace(annotation=get_type_hints(reading, include_extras=True)[p.name])
    for p in inspect.signature(reading).parameters.values()
]


def reads(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `reading`, `without` some; it gets them as a dict."""
    shared = [p for p in READING if p.name not in without]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for own in inspect.signature(command).parameters.values():
            keyword = own.replace(kind=own.KEYWORD_ONLY, annotation=hints[own.name])
            parameters += shared if own.name == "reading" else [keyword]

        @functools.wraps(command)
        def called(**given: Any) -> None:
            if given["quiet"]:
                silence_warnings()
            reading = {p.name: given.pop(p.name) for p in shared}
            command(**given, reading=reading)

        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        return called

    return with_options
