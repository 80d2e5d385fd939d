"""Parquet, Arrow IPC and data frames: tables that know their types."""

import os
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from ..base.blocks import Block, length
from ..core.arrow import arrow_table
from ..core.frames import mixed_column
from .columns import ColumnChoice, ColumnOptions, differing
from .files import CHUNK, Bytes, PathLike
from .live_file import Stop
from .options import TableOptions, with_common_options
from .reader import ColumnReader, arranged
from .rejects import Place, Tally, at_row, coerce_on_error
from .stream import Progress, Stream, regrouped

BATCH = 1 << 16  # rows of a table read at a time
ABSURD = 2**40  # bytes: no batch of rows has that size


@with_common_options
def read_parquet(
    path: PathLike | list[PathLike],
    target: str | int | None = None,
    **common: Unpack[TableOptions],
) -> Stream:
    """A stream of the rows of Parquet files, read piece by piece.

    A row with an infinite number or without a target cannot be read. The index of a pandas frame is
    left out, unless `only` names it.

    Examples
    --------
    >>> import pathlib, tempfile, pyarrow.parquet
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
    >>> pyarrow.parquet.write_table(pyarrow.table({"a": [1.5, 2.5], "y": ["no", "yes"]}), file)
    >>> list(read_parquet(file, target="y"))
    [({'a': 1.5}, 'no'), ({'a': 2.5}, 'yes')]
    """
    return arranged(Parquet(path, target, common), common)


@with_common_options
def read_ipc(
    path: PathLike | list[PathLike],
    target: str | int | None = None,
    **common: Unpack[TableOptions],
) -> Stream:
    """A stream of the rows of Arrow IPC (Feather) files, or of Arrow streams.

    The index of a pandas frame is left out, unless `only` names it.

    Examples
    --------
    >>> import pathlib, tempfile, pyarrow.feather
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.arrow"
    >>> pyarrow.feather.write_feather(pyarrow.table({"a": [1.5], "y": [3]}), file)
    >>> list(read_ipc(file, target="y"))
    [({'a': 1.5}, 3)]
    """
    return arranged(IPC(path, target, common), common)


@with_common_options
def read_frame(
    frame: Any,
    target: str | int | None = None,
    **common: Unpack[TableOptions],
) -> Stream:
    """A stream of the rows of a data frame: pandas, Polars, PyArrow, DuckDB.

    The index of a pandas frame is left out, unless `only` names it.

    Parameters
    ----------
    frame : pandas, Polars, PyArrow or DuckDB frame
        Or anything else with the Arrow stream interface.

    Examples
    --------
    >>> import pyarrow
    >>> frame = pyarrow.table({"a": [1.5, 2.5], "y": [True, False]})
    >>> list(read_frame(frame, target="y"))
    [({'a': 1.5}, True), ({'a': 2.5}, False)]
    """
    return arranged(Frame(frame, target, common), common)


class TableReader(ColumnReader):
    """Files that hold record batches."""

    kind = ""

    @abstractmethod
    def _batches_of(self, file: str, start: "Start") -> Iterator[tuple[Any, float]]:
        """Record batches with the columns `start(schema)` and the share of the file read."""

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        import pyarrow as pa

        done, schema = 0, None
        for file in self.files:
            name = "standard input" if file == "-" else file
            start = Start(name, self.columns, schema, tally.stop, self.files[0])
            row = 0
            size = 0 if file == "-" else os.path.getsize(file)
            batches = self._batches_of(file, start)
            while True:
                try:
                    item = next(batches, None)
                except Exception as error:
                    ours = isinstance(error, (FileNotFoundError, PermissionError))
                    if ours or out_of_memory(error) or error is start.refused:
                        raise
                    place = at_row(name, row + 1)
                    why = f"no {self.kind} file, or damaged: {error!s:.200}"
                    tally.reject(place, why, rows=max(1, start.rows - row))
                    break
                if item is None:
                    break
                batch, share = item
                if sound(batch, at_row(name, row + 1), tally):
                    tally.bytes_done = done + int(share * size)
                    table = pa.Table.from_batches([batch])
                    yield from table_blocks(table, start.columns, row, tally)
                row += batch.num_rows
            schema = start.schema or schema
            done += size
            tally.bytes_done = done


def out_of_memory(error: Exception) -> bool:
    """Say whether memory is short, rather than a damaged file asking for what no machine has."""
    asked = re.search(r"of size (\d+) failed", str(error))
    return isinstance(error, MemoryError) and (asked is None or int(asked[1]) < ABSURD)


@dataclass
class Start:
    """Chooses and checks the columns of a file when its schema is known."""

    name: str
    wanted: ColumnOptions
    before: Any  # the schema of the files before
    stop: Stop
    first: str  # of the files that are read together
    schema: Any = None
    columns: ColumnChoice = field(init=False)  # once the schema is known
    rows: int = 0  # of the file, where it says so
    refused: Exception | None = None  # what was wrong with the columns

    def __call__(self, schema: Any) -> list[str]:
        """The names of the columns to read."""
        names = list(schema.names)  # damaged ones are no fault of the columns
        try:
            return self._chosen(schema, names)
        except ValueError as error:
            self.refused = error
            raise

    def _chosen(self, schema: Any, names: list[str]) -> list[str]:
        self.columns = self.wanted.choose(self.name, names, index_of(schema))
        self.columns.check_types(schema)
        kept = {name: schema.field(name).type for name in self.columns.all}
        if self.before is not None and kept != self.before:
            if set(kept) != set(self.before):
                raise ValueError(differing(self.name, self.first, list(kept), list(self.before)))
            odd = next(name for name in kept if kept[name] != self.before[name])
            raise ValueError(
                f'{self.name}: column "{odd}" is of type {kept[odd]}, but of type '
                f"{self.before[odd]} in {self.first}. Files that are read together must have the "
                f"same types: cast one of them, or read this file by itself."
            )
        self.schema = kept
        return self.columns.all


def index_of(schema: Any) -> list[str]:
    """The columns that were the index of a pandas frame."""
    try:
        listed = (schema.pandas_metadata or {}).get("index_columns", [])
        return [name for name in listed if isinstance(name, str) and name in schema.names]
    except (ValueError, TypeError, AttributeError):  # no metadata that pandas would write
        return []


def sound(rows: Any, place: Place, tally: Tally) -> bool:
    """Are rows whole? If offsets point nowhere, or text is none, all of them are rejected."""
    import pyarrow as pa

    try:
        rows.validate(full=True)
    except pa.ArrowException as error:
        why = f"the next {rows.num_rows:,} rows are damaged: {error!s:.200}"
        tally.reject(place, why, rows=rows.num_rows)
        return False
    return True


def table_blocks(table: Any, columns: ColumnChoice, row: int, tally: Tally) -> Iterator[Block]:
    """A block out of a table whose first row is number `row` (from 0) of the file."""

    def place(i: int, column: Any) -> Place:
        return at_row(columns.source, row + i + 1, column)

    return columns.blocks(table, tally, place)


class Parquet(TableReader):
    """The stream that `read_parquet` makes."""

    _who = "read_parquet"
    kind = "Parquet"
    row_groups: Sequence[int] | None = None  # of one file, to be read; None: all

    def __init__(self, path: Any, target: Any, options: Mapping[str, Any]) -> None:
        super().__init__(path, target, options)
        if "-" in self.files:
            raise ValueError("read_parquet: a Parquet file cannot be read from standard input.")

    def _batches_of(self, file: str, start: Start) -> Iterator[tuple[Any, float]]:
        import pyarrow.parquet as pq

        # Small buffers: a row group may be much larger than what we may hold.
        with pq.ParquetFile(file, buffer_size=1 << 16, pre_buffer=False) as opened:
            names = start(opened.schema_arrow)
            metadata, groups = opened.metadata, self.row_groups
            start.rows = metadata.num_rows
            if groups is not None:
                start.rows = sum(metadata.row_group(i).num_rows for i in groups)
            total = max(1, start.rows)
            done = 0
            batches = opened.iter_batches(BATCH, groups, columns=names, use_threads=False)
            for batch in batches:
                done += batch.num_rows
                yield batch, done / total


class IPC(TableReader):
    """The stream that `read_ipc` makes."""

    _who = "read_ipc"
    kind = "Arrow"

    def _batches_of(self, file: str, start: Start) -> Iterator[tuple[Any, float]]:
        import pyarrow as pa

        if file != "-":
            with pa.OSFile(file) as raw:
                if raw.read(6) == b"ARROW1":
                    opened = pa.ipc.open_file(raw)
                    names = start(opened.schema)
                    for i in range(opened.num_record_batches):
                        batch = opened.get_batch(i).select(names)
                        yield batch, (i + 1) / opened.num_record_batches
                    return
        source = Bytes(file, start.stop)
        size = max(1, 0 if file == "-" else os.path.getsize(file))
        try:
            with pa.ipc.open_stream(pa.PythonFile(Decompressed(source), mode="r")) as opened:
                names = start(opened.schema)
                for batch in opened:
                    yield batch.select(names), min(1.0, source.done / size)
        finally:
            source.close()


class Decompressed:
    """`Bytes` as a file that Arrow can read."""

    closed = False

    def __init__(self, source: Any) -> None:
        self.source = source

    def read(self, n: int = -1) -> bytes:
        """Exactly n bytes, but for the end. A damaged file may ask for more than there are."""
        parts: list[bytes] = []
        while n > 0:
            room = memoryview(bytearray(min(n, CHUNK)))
            got = self.source.into(room)
            if got == 0:
                break
            parts.append(bytes(room[:got]))
            n -= got
        return b"".join(parts)

    def close(self) -> None:
        """Let go of the file."""
        self.source.close()


class Frame(Stream):
    """The stream that `read_frame` makes."""

    _who = "read_frame"

    def __init__(self, frame: Any, target: Any, options: Mapping[str, Any]) -> None:
        columns = ColumnOptions("read_frame", target, options)
        if not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__")):
            raise TypeError(
                f"read_frame: a data frame is needed (pandas, Polars, PyArrow, DuckDB), "
                f"got {type(frame).__name__}."
            )
        try:
            self.table = arrow_table(frame)
        except Exception as error:  # of the library that made the frame
            if (mixed := mixed_column(frame)) is not None:
                raise ValueError(f"read_frame: the frame cannot be read: {mixed}") from None
            raise ValueError(
                f"read_frame: the frame cannot be read: {error!s:.200}. Each column must have a "
                f"name of its own, and values of one type."
            ) from None
        schema = self.table.schema
        self.columns = columns.choose("the frame", list(schema.names), index_of(schema))
        self.columns.check_types(schema)
        self.on_error = coerce_on_error("read_frame", options["on_error"])
        self._tally = Tally("skip")

    def _batches(self, n: int) -> Iterator[Block]:
        tally = self._tally = Tally(self.on_error)

        def blocks() -> Iterator[Block]:
            for start in range(0, self.table.num_rows, BATCH):
                part = self.table.slice(start, BATCH).select(self.columns.all)
                if sound(part, at_row(self.columns.source, start + 1), tally):
                    yield from table_blocks(part, self.columns, start, tally)

        try:
            for block in regrouped(blocks(), n):
                tally.rows += length(block)
                yield block
        finally:
            tally.close()

    @property
    def _progress(self) -> Progress:
        return self._tally.progress

    @property
    def messages(self) -> list[str]:
        """Why the first few rows were left out."""
        return list(self._tally.messages)
