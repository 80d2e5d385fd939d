"""A file, standard input or a generator as the stream that a command works on."""

import csv
import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import streams
from ..base.blocks import columns_of
from ..base.checks import nearest
from ..streams.columns import quoted
from ..streams.csv_files import MISSING
from ..streams.options import DEFAULTS
from ..streams.reader import arranged
from .columns import ColumnWatch, LearnedColumns
from .console import warn_if_most_rejected
from .parse import parse_generator

READERS = {  # format: function of onstream.streams, endings
    "csv": ("read_csv", (".csv", ".tsv", ".txt", ".data")),
    "parquet": ("read_parquet", (".parquet", ".pq")),
    "ipc": ("read_ipc", (".arrow", ".ipc", ".feather")),
    "jsonl": ("read_jsonl", (".jsonl", ".ndjson", ".json")),
    "libsvm": ("read_libsvm", (".libsvm", ".svm", ".svmlight")),
    "vw": ("read_vw", (".vw",)),
    "arff": ("read_arff", (".arff",)),
}
TAB = "\t"  # hard to type in a shell
MANY_ROWS = 100  # of features that come and go, before one that never came is missed
PACKED = (".gz", ".bz2", ".zst")


class Input:
    """What a command reads: the source, and the options for reading it as they were typed."""

    def __init__(self, source: str, options: dict[str, Any]) -> None:
        self.source, self.options = source, options
        self.stream: Any = None
        self.watch = ColumnWatch(source, [])

    @property
    def name(self) -> str:
        """What to call the source in a sentence."""
        return "standard input" if self.source == "-" else self.source

    @property
    def format(self) -> str:
        """The format of the file; "" if it is a generator."""
        if is_generator(self.source):
            return ""
        return self.options["format"] or format_of(self.source)

    @property
    def any_features(self) -> bool:
        """Say whether each row brings features of its own, rather than all columns."""
        return self.format in ("jsonl", "libsvm", "vw")

    @property
    def drop(self) -> list[str] | None:
        """Columns to leave out."""
        return columns(self.options["drop"])

    @property
    def only(self) -> list[str] | None:
        """Columns to use; None: all."""
        return columns(self.options["only"])

    def open(self, target: str | None = None) -> Any:
        """The stream; `target` is the column to be learned where no option names it."""
        options = self.options
        if options["target"] is None and self.format not in ("", "libsvm", "vw"):
            options["target"] = target
        self.stream = open_stream(self.source, **options)
        return self.stream

    def open_unlabelled(self) -> Any:
        """The stream of rows to predict; the VW reader would otherwise require labels."""
        labelled = False if self.format == "vw" else None
        self.stream = open_stream(self.source, labelled=labelled, **self.options)
        return self.stream

    def watch_columns(self, learned: LearnedColumns, *left_out: str) -> ColumnWatch:
        """Report which of the learned columns the stream lacks, and which it has too many."""
        self.watch = learned.watch(self.source, left_out)
        return self.watch

    def report_columns(self) -> None:
        """At the end: which learned columns never had a value."""
        self.watch.end(MANY_ROWS if self.any_features else 0)

    def report(self) -> None:
        """At the end: columns that are new, and whether most lines could not be read."""
        if not self.any_features:
            self.watch.report_new()
        warn_if_most_rejected(self.stream)


def open_stream(
    source: str,
    *,
    format: str | None = None,
    types: list[str] | None = None,
    delimiter: str | None = None,
    no_header: bool = False,
    missing: list[str] | None = None,
    drop: list[str] | None = None,
    only: list[str] | None = None,
    newlines_in_values: bool = False,
    skip: int = 0,
    epochs: int = 1,
    seed: int = 0,
    on_error: str = "raise",
    **others: Any,
) -> Any:
    """The stream of `source`, by options as they were typed."""
    options = others | {
        "types": column_types(types),
        "delimiter": TAB if delimiter in ("\\t", "tab") else delimiter,
        "header": False if no_header else None,
        "missing": missing_values(missing),
        "drop": columns(drop),
        "only": columns(only),
        "newlines_in_values": newlines_in_values or None,
        "skip": skip or None,
        "epochs": None if epochs == 1 else epochs,
        "seed": seed or None,
        "on_error": None if on_error == "raise" else on_error,
    }
    given = {name: value for name, value in options.items() if value is not None}
    if is_generator(source):
        return from_generator(source, given)
    wanted = format or format_of(source)
    if wanted not in READERS:
        raise ValueError(
            f"onstream: there is no format {wanted!r}; use {', '.join(READERS)}."
            f"{nearest(wanted, READERS)}"
        )
    reader = getattr(streams, READERS[wanted][0])
    known = inspect.signature(reader).parameters
    for name in given:
        if name not in known:
            raise ValueError(f"onstream: {option(name)} has no meaning for {wanted} files.")
    return reader(source, **given)


def to_learn(block: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """X, y and w of a block."""
    X, y, w = (*block, None)[:3]
    if y is None:
        names = columns_of(X)
        listed = f" The columns are {quoted(list(map(str, names)))}." if names else ""
        raise ValueError(f"onstream: there is nothing to learn: say --target COLUMN.{listed}")
    return X, y, w


def option(name: str) -> str:
    """How an option of a reader is called on the command line."""
    return "--no-header" if name == "header" else f"--{name.replace('_', '-')}"


def is_generator(source: str) -> bool:
    """Say whether it looks like a call, and is no file."""
    return source.rstrip().endswith(")") and "(" in source and not Path(source).exists()


def from_generator(source: str, options: dict[str, Any]) -> Any:
    """An endless stream, cut to `limit` rows."""
    for name in options:
        if name not in ("limit", "skip", "shuffle", "seed"):
            raise ValueError(f"onstream: {option(name)} has no meaning for a generator.")
    stream = parse_generator(source)
    if "limit" not in options:
        raise ValueError("onstream: a generator never ends; say how many rows with --limit 10000.")
    return arranged(stream, DEFAULTS | options)


def format_of(
    source: str,
    standard: str = "input",
    option: str = "--format",
    formats: Iterable[str] = READERS,
) -> str:
    """The format, one of these, that the name of a file implies; `-`: standard input, or output."""
    if source == "-":
        raise ValueError(
            f"onstream: standard {standard} has no name; say what it is: {option} csv."
        )
    path = Path(source)
    if path.is_dir():
        advice = f"name the files, such as '{path / '*.csv'}'"
        if standard == "output":
            advice = f"name a file in it, such as {path / 'rows.csv'}"
        raise ValueError(f"onstream: {source} is a folder; {advice}.")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    for format, (_, endings) in READERS.items():
        if suffixes and suffixes[-1] in endings:
            return format
    known = ", ".join(f"{READERS[name][1][0]} ({name})" for name in formats)
    raise ValueError(
        f"onstream: {path.name!r} does not tell its format. Known are {known}; "
        f"else say {option} csv."
    )


def missing_values(more: list[str] | None) -> tuple[str, ...] | None:
    """The usual texts for a missing value, and some more."""
    return (*MISSING, *more) if more else None


KINDS = {"str": str, "text": str, "float": float, "number": float, "int": int, "bool": bool}


def column_types(texts: list[str] | None) -> dict[str, type] | None:
    """Types of columns, such as 'zip=str,price=float'."""
    found: dict[str, type] = {}
    for part in columns(texts) or ():
        name, _, kind = part.rpartition("=")
        if not name or kind not in KINDS:
            raise ValueError(
                f"onstream: --types takes column=type, with a type of {', '.join(KINDS)}; "
                f"got {part!r}."
            )
        if found.setdefault(name, KINDS[kind]) is not KINDS[kind]:
            raise ValueError(f"onstream: --types gives two types for {name!r}; say one.")
    return found or None


def columns(texts: list[str] | None) -> list[str] | None:
    """Names of columns, in several texts or separated by commas; quoted if one has a comma."""
    if texts is None:
        return None
    named = [text for text in texts if text.strip()]
    names = [name.strip() for row in csv.reader(named, skipinitialspace=True) for name in row]
    nameless = [""] if len(named) < len(texts) else []  # a column without a name
    return list(dict.fromkeys([name for name in names if name] + nameless))
