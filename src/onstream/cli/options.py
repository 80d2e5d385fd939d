"""Options that several subcommands share."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from .warnings_ import silence_warnings

Source = Annotated[
    str, typer.Argument(help="A file, '-' for standard input, or a generator: 'SEA()'.")
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]

# How to read the source, as the readers of onstream.streams have it. Lists are repeated, or
# separated by commas where several columns are meant.
READING: dict[str, tuple[Any, Any]] = {
    "target": (
        Annotated[str | None, typer.Option("--target", "-t", help="The column to be learned.")],
        None,
    ),
    "weight": (
        Annotated[str | None, typer.Option(help="The column that says how much a row counts.")],
        None,
    ),
    "drop": (
        Annotated[
            list[str] | None, typer.Option(help="Columns to leave out: 'id,date'; repeat it.")
        ],
        None,
    ),
    "only": (
        Annotated[list[str] | None, typer.Option(help="Columns to use, no others; repeat it.")],
        None,
    ),
    "types": (
        Annotated[
            list[str] | None,
            typer.Option(help="Types of CSV columns: 'zip=str,n=float'; repeat it."),
        ],
        None,
    ),
    "delimiter": (
        Annotated[str | None, typer.Option(help="Between the columns of a CSV file: ';', tab.")],
        None,
    ),
    "decimal": (
        Annotated[str | None, typer.Option(help="',' if a CSV file writes numbers such as 0,5.")],
        None,
    ),
    "encoding": (
        Annotated[str | None, typer.Option(help="Of a CSV file, if not UTF-8: cp1252, utf-16.")],
        None,
    ),
    "newlines_in_values": (
        Annotated[
            bool,
            typer.Option(
                "--newlines-in-values", help="Quoted values of a CSV file may span lines."
            ),
        ],
        False,
    ),
    "no_header": (
        Annotated[
            bool,
            typer.Option(
                "--no-header", help="A CSV file without a line of names: columns are 0, 1, ..."
            ),
        ],
        False,
    ),
    "missing": (
        Annotated[
            list[str] | None,
            typer.Option(help="A text that means a missing value: -999; repeat it."),
        ],
        None,
    ),
    "limit": (
        Annotated[int | None, typer.Option(help="Read at most so many rows.", min=1)],
        None,
    ),
    "skip": (Annotated[int, typer.Option(help="Leave out so many rows first.", min=0)], 0),
    "shuffle": (
        Annotated[int | None, typer.Option(help="Rows of a buffer for random order.", min=1)],
        None,
    ),
    "epochs": (Annotated[int, typer.Option(help="Go over the files so many times.", min=1)], 1),
    "seed": (Annotated[int, typer.Option(help="Seed of the random order.", min=0)], 0),
    "on_error": (
        Annotated[
            str, typer.Option(help="Lines that cannot be read: raise, skip, or a file for them.")
        ],
        "raise",
    ),
    "format": (
        Annotated[
            str | None,
            typer.Option("--format", "-f", help="csv, parquet, ipc, jsonl, libsvm, vw or arff."),
        ],
        None,
    ),
}


def reads(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command all options of READING, `without` some; it gets them as a dict, `reading`."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        parameters = []
        for own in inspect.signature(command).parameters.values():
            if own.name != "reading":
                parameters.append(own.replace(annotation=hints[own.name]))
                continue
            parameters += [
                inspect.Parameter(name, own.KEYWORD_ONLY, default=default, annotation=kind)
                for name, (kind, default) in READING.items()
                if name not in without
            ]

        @functools.wraps(command)
        def called(**given: Any) -> None:
            if given["quiet"]:
                silence_warnings()
            reading = {name: given.pop(name) for name in READING if name in given}
            command(**given, reading=reading)

        keyword = [one.replace(kind=one.KEYWORD_ONLY) for one in parameters]
        called.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return with_options
