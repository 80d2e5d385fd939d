"""Blocks of a stream into files of several formats."""

import contextlib
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..base.blocks import examples
from ..core.arrow import arrow_table
from .destination import Sink, opened

PACKINGS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def packing_of(path: Path) -> str | None:
    """How a file of this name is compressed."""
    return PACKINGS.get(path.suffix.lower())


class TableWriter:
    """CSV, Parquet and Arrow files, by pyarrow: the columns of the first block."""

    def __init__(self, sink: Any, target: str, format: str, path: Path) -> None:
        packing = packing_of(path)
        if packing is not None and format != "csv":
            raise ValueError(
                f"onstream: {format} files are compressed inside; leave out the second ending."
            )
        self.path, self.target, self.format = path, target, format
        self.sink = packed(sink, packing)
        self.file: Any = None

    def write(self, block: tuple[Any, ...]) -> int:
        """One more block."""
        table = self.table(block)
        if self.file is None:
            self.file = self.open(table.schema)
        elif table.schema != self.file_schema:
            table = self.fitted(table)
        self.file.write_table(table)
        return int(table.num_rows)

    def table(self, block: tuple[Any, ...]) -> Any:
        """The block with its target and weights as columns."""
        import pyarrow as pa

        X, y, w = (*block, None)[:3]
        if isinstance(X, np.ndarray):
            table = pa.table({str(j): X[:, j] for j in range(X.shape[1])})
        elif hasattr(X, "__arrow_c_stream__"):
            table = arrow_table(X)
        else:
            rows = [{str(k): v for k, v in row[0].items()} for row in examples(block)]
            names = dict.fromkeys(name for row in rows for name in row)
            table = pa.table({name: [row.get(name) for row in rows] for name in names})
        if y is not None:
            refuse_taken(self.target, table.column_names, "target")
            table = table.append_column(self.target, pa.array(y))
        if w is not None:
            refuse_taken("weight", table.column_names, "weights")
            table = table.append_column("weight", pa.array(w))
        return table

    def open(self, schema: Any) -> Any:
        """The file, once the columns are known."""
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.parquet

        self.file_schema = schema
        if self.format == "csv":
            delimiter = "\t" if ".tsv" in self.path.suffixes else ","
            options = pyarrow.csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
            return pyarrow.csv.CSVWriter(self.sink, schema, write_options=options)
        if self.format == "parquet":
            return pyarrow.parquet.ParquetWriter(self.sink, schema)
        return pa.ipc.new_file(self.sink, schema)

    def fitted(self, table: Any) -> Any:
        """A later block in the columns of the first."""
        import pyarrow as pa

        if extra := set(table.column_names) - set(self.file_schema.names):
            raise ValueError(
                f"onstream: column {min(extra)!r} is not in the first rows; formats with fixed "
                f"columns cannot take it: write .jsonl, .libsvm or .vw."
            )
        columns = [
            table.column(field.name).cast(field.type)
            if field.name in table.column_names
            else pa.nulls(table.num_rows, field.type)
            for field in self.file_schema
        ]
        return pa.table(columns, schema=self.file_schema)

    def close(self) -> None:
        """Write the end of the file."""
        if self.file is None:
            raise ValueError("onstream: there were no rows to write.")
        self.file.close()
        self.sink.close()


class LineWriter:
    """JSON lines, libsvm and VW text: one line per example."""

    def __init__(self, sink: Any, target: str, format: str, path: Path) -> None:
        self.file = packed(sink, packing_of(path))
        self.target, self.format = target, format
        self.line = {"jsonl": self.json, "libsvm": self.libsvm, "vw": self.vw}[format]
        self.features: dict[str, str] = {}  # what a VW name with an underscore stands for

    def write(self, block: tuple[Any, ...]) -> int:
        """One more block."""
        lines = [self.line(x, y, w[0] if w else None) for x, y, *w in examples(block)]
        self.file.write("".join(f"{line}\n" for line in lines).encode())
        return len(lines)

    def json(self, x: Any, y: Any, w: Any) -> str:
        """The features with the target, if there is one, as one more key."""
        row = {str(name): whole(value) for name, value in x.items()}
        if y is not None:
            refuse_taken(self.target, row, "target")
            row[self.target] = y
        if w is not None:
            refuse_taken("weight", row, "weights")
            row["weight"] = w
        return msgspec.json.encode(row).decode()

    def libsvm(self, x: Any, y: Any, w: Any) -> str:
        """Target, then index:value in rising order."""
        if y is None:
            raise ValueError("onstream: libsvm lines begin with a target: say --target COLUMN.")
        pairs = []
        for name, value in x.items():
            if isinstance(value, str) or not INDEX.fullmatch(str(name)):
                raise ValueError(
                    f"onstream: feature {name!r} is not a number with a whole number as its name, "
                    f"which libsvm files need; write .vw or .jsonl."
                )
            if value:
                pairs.append((int(name), whole(float(value))))
        return " ".join([self.number(y), *(f"{i}:{v!r}" for i, v in sorted(pairs))])

    def number(self, y: Any) -> str:
        """A target as the format has it."""
        if isinstance(y, bool):
            return "1" if y else "-1"
        if isinstance(y, str):
            raise ValueError(
                f"onstream: the label {y!r:.60} is text, and labels of {self.format} files are "
                f"numbers: number them first, or write .csv, .jsonl or .parquet."
            )
        return repr(y)

    def vw(self, x: Any, y: Any, w: Any) -> str:
        """Target [weight] | name:value, with the few characters VW reserves replaced."""
        words = []
        for name, value in x.items():
            feature = f"{name}={value}" if isinstance(value, str) else str(name)
            word = feature.translate(RESERVED)
            if "_" in word and self.features.setdefault(word, feature) != feature:
                raise ValueError(
                    f"onstream: the features {self.features[word]!r:.60} and {feature!r:.60} would "
                    f"both be {word!r:.60} in a VW file, whose names have no blanks, colons and "
                    f"bars: rename one, leave it out by --drop, or write .jsonl, .csv or .parquet."
                )
            if isinstance(value, str) or value == 1:
                words.append(word)
            elif value is not None:
                words.append(f"{word}:{whole(float(value))!r}")
        weight = "" if w is None else f" {float(w)!r}"
        return f"{'' if y is None else self.number(y)}{weight} | {' '.join(words)}"

    def close(self) -> None:
        """End the file."""
        self.file.close()


INDEX = re.compile("0|[1-9][0-9]*")  # 01 would be the same as 1
RESERVED = str.maketrans({" ": "_", ":": "_", "|": "_", "\n": "_", "\t": "_", "\r": "_"})
WRITERS: dict[str, Any] = {
    "csv": TableWriter,
    "parquet": TableWriter,
    "ipc": TableWriter,
    "jsonl": LineWriter,
    "libsvm": LineWriter,
    "vw": LineWriter,
}


def packed(sink: Any, packing: str | None) -> Any:
    """The sink as an Arrow stream, compressed if need be."""
    import pyarrow as pa

    return pa.output_stream(pa.PythonFile(sink, mode="w"), compression=packing, buffer_size=1 << 16)


def refuse_taken(name: str, features: Container[str], what: str) -> None:
    """Refuse to write the target or the weights over a feature of the same name."""
    if name in features:
        raise ValueError(
            f"onstream: there is a feature {name!r:.60}, and the column of the {what} has this "
            f"name: leave the feature out by --drop {name:.60}."
        )


def whole(value: Any) -> Any:
    """A number without a fraction as people write it: 3, not 3.0."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


@contextlib.contextmanager
def writer_for(format: str, path: Path, target: str) -> Iterator[Any]:
    """A writer to a path; a file appears only when all of it was written."""
    with opened(path) as file:
        writer = WRITERS[format](Sink(file), target, format, path)
        yield writer
        writer.close()
