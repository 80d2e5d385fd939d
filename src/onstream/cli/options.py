"""Options that several subcommands share."""

from typing import Annotated

import typer

Source = Annotated[
    str, typer.Argument(help="A file, '-' for standard input, or a generator: 'SEA()'.")
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to be learned.")]
Weight = Annotated[str | None, typer.Option(help="The column that says how much a row counts.")]
Types = Annotated[
    str | None,
    typer.Option(help="Types of columns of a CSV file, not guessed: 'zip=str,price=float'."),
]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates the columns of a CSV file: ';'.")
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="A CSV file without names in its first line: columns are 0, 1, ..."
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A text that means a missing value in a CSV file, such as -999; repeat it."),
]
Drop = Annotated[str | None, typer.Option(help="Columns to leave out: 'id,date'.")]
Only = Annotated[str | None, typer.Option(help="Columns to use, and no others.")]
Limit = Annotated[int | None, typer.Option(help="Read at most so many rows.", min=1)]
Skip = Annotated[int, typer.Option(help="Leave out so many rows first.", min=0)]
Shuffle = Annotated[int | None, typer.Option(help="Rows of a buffer for random order.", min=1)]
Epochs = Annotated[int, typer.Option(help="Go over the files so many times.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed of the random order.", min=0)]
OnError = Annotated[
    str, typer.Option(help="Lines that cannot be read: 'raise', 'skip', or a file for them.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help="csv, parquet, ipc, jsonl, libsvm, vw or arff."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]
