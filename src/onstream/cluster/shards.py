"""Where a worker's rows come from: files, row groups of Parquet files, blocks, streams."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

from .. import streams
from ..base.blocks import Block, count_rows, cut
from ..streams import Stream, read_frame
from ..streams.files import find_files, suffix
from ..streams.stream import Cursor
from ..streams.tables import Parquet

READERS: dict[str, Callable[..., Stream]] = {
    ending: reader
    for reader, endings in (
        (streams.read_csv, (".csv", ".tsv", ".txt", ".data")),
        (streams.read_parquet, (".parquet", ".pq")),
        (streams.read_ipc, (".arrow", ".ipc", ".feather")),
        (streams.read_jsonl, (".jsonl", ".ndjson", ".json")),
        (streams.read_libsvm, (".libsvm", ".svm", ".svmlight")),
        (streams.read_vw, (".vw",)),
        (streams.read_arff, (".arff",)),
    )
    for ending in endings
}
WANTED = (
    "a shard is (X, y), (X, y, w), a path or pattern of files, a stream, a data frame (with "
    "target=...), or a function that opens one of these or an iterator of blocks"
)


@dataclass(frozen=True)
class Position:
    """A place in the shards of a worker: which shard, and how many of its rows are done."""

    shard: int = 0
    row: int = 0


@dataclass(frozen=True)
class Shard:
    """A part of the data that one worker reads in order."""

    name: str
    source: Any  # a path, a block, a stream, a frame, or a function that opens one
    options: dict[str, Any] = field(default_factory=dict)  # of the reader
    groups: tuple[int, ...] | None = None  # row groups of a Parquet file; None: all of it
    rows: int | None = None  # if known

    def blocks(self, skip: int = 0) -> Iterator[Block]:
        """Its blocks from row `skip` on."""
        source = self.source() if callable(self.source) else self.source
        if isinstance(source, tuple):
            rows = count_rows(source[0]) or 0
            return iter([cut(source, skip, rows)] if skip < rows else [])
        if isinstance(source, Iterator):
            return blocks_of_batches(source, self.options, skip)
        stream = self.stream(source)
        if isinstance(stream, Parquet) and stream.on_error == "raise":
            groups, skip = later_groups(stream.files[0], self.groups, skip)
            stream.row_groups = groups
        return (stream.skip(skip) if skip else stream).blocks()

    def stream(self, source: Any) -> Stream:
        """What was given as a stream."""
        if isinstance(source, Stream):
            return source
        if hasattr(source, "__arrow_c_stream__"):
            return read_frame(source, **self.options)
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"{WANTED}; the function gave {type(source).__name__}.")
        return READERS[suffix(os.fspath(source))](source, **self.options)


def blocks_of_batches(batches: Any, options: dict[str, Any], skip: int) -> Iterator[Block]:
    """Blocks out of Arrow record batches, or blocks as they come, from row `skip` on."""
    import pyarrow as pa

    for batch in batches:
        if isinstance(batch, (pa.RecordBatch, pa.Table)):
            stream = read_frame(batch, **options)
            rows = batch.num_rows
            blocks = stream.skip(min(skip, rows)).blocks() if skip else stream.blocks()
        elif is_block(batch) and count_rows(batch[1]) is not None:
            rows = count_rows(batch[0]) or 0
            blocks = iter([cut(batch, min(skip, rows), rows)])
        else:
            raise TypeError(
                f"an iterator must give blocks (X, y) or Arrow batches, got "
                f"{type(batch).__name__}; of single examples (x, y) make a stream: "
                f"onstream.streams.from_iterable."
            )
        skip = max(0, skip - rows)
        yield from (block for block in blocks if count_rows(block[0]))


class Shards:
    """The shards of one worker, read on from any position."""

    def __init__(self, shards: list[Shard]) -> None:
        self.shards = shards
        self.position = Position()
        self.cursor: Cursor | None = None

    def seek(self, position: Position) -> None:
        """Go to this place; a worker that is there already goes on reading."""
        if position != self.position:
            self.position, self.cursor = position, None

    def take(self, rows: int) -> Block | None:
        """At most so many rows, all of one shard; None: there are no more."""
        while self.position.shard < len(self.shards):
            at = self.position
            if self.cursor is None:
                self.cursor = Cursor(self.shards[at.shard].blocks(at.row))
            block = self.cursor.take(rows)
            if block is not None:
                self.position = replace(at, row=at.row + (count_rows(block[0]) or 0))
                return block
            self.position, self.cursor = Position(at.shard + 1), None
        return None

    @property
    def name(self) -> str:
        """What is read now."""
        at = min(self.position.shard, len(self.shards) - 1)
        return self.shards[at].name


def plan(shards: Any, workers: int, options: dict[str, Any]) -> list[list[Shard]]:
    """The shards of each worker, in the order in which it reads them."""
    found = list(find_shards(shards, options))
    if is_block(shards):
        found = cut_block(found[0], workers)
    elif len(found) < workers:
        parts = -(-workers // len(found))
        found = [part for shard in found for part in by_row_groups(shard, parts)]
    return [found[k::workers] for k in range(min(workers, len(found)))]


def find_shards(given: Any, options: dict[str, Any]) -> Iterator[Shard]:
    """What was given, one by one."""
    if isinstance(given, (str, os.PathLike)):
        for file in find_files("train", given):
            check_file(file)
            yield Shard(file, file, options, rows=rows_of_file(file))
    elif is_block(given):
        X, y = given[0], given[1]
        rows = count_rows(X)
        if rows is None or (y is not None and count_rows(y) != rows):
            raise ValueError(f"train: a block must have as many targets as rows; {WANTED}.")
        yield Shard("the block", given, rows=rows)
    elif isinstance(given, Stream):
        if given.endless or given.live:
            raise ValueError(
                f"train: {type(given).__name__} never ends; give a part of it, such as "
                f"stream.limit(10_000)."
            )
        yield Shard(repr(given), given)
    elif hasattr(given, "__arrow_c_stream__"):
        if not options.get("target"):
            raise ValueError("train: name the column of a frame to be learned: target=...")
        yield Shard("the frame", given, options, rows=count_rows(given))
    elif callable(given):
        yield Shard(getattr(given, "__name__", repr(given)), given, options)
    elif isinstance(given, (list, tuple)):
        if not given:
            raise ValueError(f"train: there are no shards; {WANTED}.")
        for i, shard in enumerate(given):
            for found in find_shards(shard, options):
                named = isinstance(shard, (str, os.PathLike))
                yield found if named else replace(found, name=f"shard {i} ({found.name})")
    else:
        raise TypeError(f"train: {WANTED}; got {type(given).__name__}.")


def is_block(given: Any) -> bool:
    """Say whether this is `(X, y)` or `(X, y, w)`, rather than a tuple of shards."""
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        return False
    return not isinstance(given[0], (str, os.PathLike, Stream, tuple)) and not callable(given[0])


def check_file(file: str) -> None:
    """Refuse what no reader knows before any worker starts."""
    if file == "-":
        raise ValueError("train: standard input can be read by one process only; name files.")
    if suffix(file) not in READERS:
        raise ValueError(
            f"train: {os.path.basename(file)!r} does not tell its format; known are "
            f"{', '.join(READERS)}. For another name give a function that opens the stream."
        )


def is_parquet(path: Any) -> bool:
    """Say whether this is the path of a Parquet file."""
    return isinstance(path, str) and READERS.get(suffix(path)) is streams.read_parquet


def group_rows(file: str) -> list[int]:
    """Rows of each row group of a Parquet file."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


def rows_of_file(file: str) -> int | None:
    """Rows of a file that says so without being read."""
    if not is_parquet(file):
        return None
    try:
        return sum(group_rows(file))
    except Exception:  # the worker that reads it says what is wrong
        return None


def by_row_groups(shard: Shard, parts: int) -> list[Shard]:
    """A Parquet file as shards of about equally many rows, of whole row groups each."""
    arranged = {"limit", "skip", "shuffle", "epochs", "on_error"} & set(shard.options)
    if shard.rows is None or not is_parquet(shard.source) or arranged:
        return [shard]
    counts = group_rows(shard.source)
    ends = list(accumulate(counts))
    found: dict[int, list[int]] = {}
    for i, end in enumerate(ends):
        middle = end - counts[i] / 2
        found.setdefault(int(middle * parts / max(1, shard.rows)), []).append(i)
    return [
        replace(
            shard,
            name=f"{shard.name}, row groups {groups[0]} to {groups[-1]}",
            groups=tuple(groups),
            rows=sum(counts[i] for i in groups),
        )
        for groups in found.values()
    ]


def later_groups(
    file: str, groups: tuple[int, ...] | None, skip: int
) -> tuple[tuple[int, ...] | None, int]:
    """The row groups after those that `skip` rows cover, and the rows still to skip there."""
    if skip == 0:
        return groups, 0
    counts = group_rows(file)
    left = list(range(len(counts)) if groups is None else groups)
    while left and counts[left[0]] <= skip:
        skip -= counts[left.pop(0)]
    return tuple(left), skip


def cut_block(shard: Shard, parts: int) -> list[Shard]:
    """A block as consecutive parts."""
    rows = shard.rows or 0
    ends = [rows * k // parts for k in range(parts + 1)]
    return [
        replace(shard, name=f"rows {a:,} to {b - 1:,}", source=cut(shard.source, a, b), rows=b - a)
        for a, b in pairwise(ends)
        if b > a
    ]
