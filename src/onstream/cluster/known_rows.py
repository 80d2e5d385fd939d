"""Rows of a source that were learned before: recognised by a digest, so that only others are new.

A file or a stream is read from its first row on each time. What is said of it is how many of its
rows were learned, and their digest; so it may have grown since, or have been mended further on. A
block or a frame in memory is learned as a whole, and known by the digest of all its rows.
"""

import hashlib
import os
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from ..base.blocks import Block, cut, length, values
from ..core.arrow import as_array
from ..streams.stream import Cursor
from .keys import split_key
from .shards import Shard

BLOCK = 4096  # rows that are learned at once
NUMBER = struct.Struct("<qd").pack  # a row and its value
NO_NUMBER = struct.error, TypeError, ValueError, OverflowError  # or none that a float can hold
WHOLE = "rows "  # what the names of blocks and frames begin with
Place = tuple[int, str]  # how many rows of a source were learned, and their digest


class Part(NamedTuple):
    """Some rows of a source."""

    first: int  # their number in it
    keys: list[str]
    X: Any
    y: Any
    w: Any
    place: Place  # after them


class RowDigest:
    """A digest of rows, whatever they come in: of each column the values and their rows.

    Missing values are left out, so a column that begins late was missing before. Numbers are taken
    as floats, as learners take them. So mappings, frames, arrays and lists of the same rows have
    the same digest, in blocks of any length.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.columns: dict[str, Any] = {}

    def add(self, keys: list[str], X: Any, y: Any, w: Any) -> None:
        """Go on with these rows."""
        columns = {"key": keys, "y": y, "w": w}
        if isinstance(X, list):
            for name, cells in packed_mappings(X, self.rows).items():
                self._update(f"x{name!r}", cells)
        else:
            columns.update({f"x{name!r}": X.column(name) for name in X.column_names})
        for name, column in columns.items():
            if column is not None:
                self._update(name, self._cells(column))
        self.rows += len(keys)

    def _update(self, name: str, cells: bytes | bytearray) -> None:
        if not cells:
            return
        if name not in self.columns:
            self.columns[name] = hashlib.blake2b(digest_size=16)
        self.columns[name].update(cells)

    def _cells(self, column: Any) -> bytes:
        """The values of a column with their rows, one after the other."""
        numbers = floats(column)
        if numbers is None:
            return packed(list(column) if isinstance(column, tuple) else values(column), self.rows)
        present, floating = numbers
        found = np.empty(len(present), dtype=[("row", "<i8"), ("value", "<f8")])
        found["row"], found["value"] = present + self.rows, floating
        return found.tobytes()

    def place(self) -> Place:
        """How many rows it covers, and what they are."""
        whole = hashlib.blake2b(digest_size=16)
        for name in sorted(self.columns):
            whole.update(name.encode(errors="replace") + self.columns[name].digest())
        return self.rows, whole.hexdigest()


def packed_mappings(X: list[dict[Any, Any]], first: int) -> Mapping[Any, bytes | bytearray]:
    """What is not missing of each feature; rows are counted from `first`."""
    if X and all(x.keys() == X[0].keys() for x in X):
        return {name: packed([x[name] for x in X], first) for name in X[0]}
    columns: defaultdict[Any, bytearray] = defaultdict(bytearray)
    for row, x in enumerate(X, first):
        for name, value in x.items():
            if type(value) is float:
                columns[name] += NUMBER(row, value)
            elif value is not None:
                columns[name] += packed_cell(row, value)
    return columns


def packed(column: list[Any], first: int) -> bytes:
    """What is not missing of a column, each value in bytes that do not depend on the others."""
    try:
        return b"".join(map(NUMBER, count(first), column))
    except NO_NUMBER:
        cells = enumerate(column, first)
    if set(map(type, column)) == {str}:
        return "".join(f"{row}:{value!r};" for row, value in cells).encode(errors="replace")
    return b"".join(packed_cell(row, value) for row, value in cells if value is not None)


def packed_cell(row: int, value: Any) -> bytes:
    """The same of one value, which may be of NumPy."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str):
        try:
            return NUMBER(row, value)
        except NO_NUMBER:
            pass
    return f"{row}:{value!r};".encode(errors="replace")


def floats(column: Any) -> tuple[Any, Any] | None:
    """The rows of a column of numbers that are not missing, and their values; None: no numbers."""
    if isinstance(column, np.ndarray):
        numbers = column.ndim == 1 and column.dtype.kind in "biuf"
        return (np.arange(len(column)), column) if numbers else None
    if not hasattr(column, "to_pylist"):
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    if not hasattr(column, "type") or not any(of(column.type) for of in kinds):
        return None
    present = np.flatnonzero(as_array(column.is_valid()))
    return present, as_array(pc.cast(column.drop_null(), pa.float64(), safe=False))


def in_memory(shard: Shard) -> bool:
    """Say whether a shard is a block or a frame, which is learned as a whole or not at all."""
    return isinstance(shard.source, tuple) or hasattr(shard.source, "__arrow_c_stream__")


def parts_in_memory(shard: Shard, key: str) -> tuple[str, list[Part]]:
    """What a block or a frame is known by, which is the digest of all its rows, and its rows."""
    parts = list(compared(shard.name, shard.blocks(), key, [(0, "")]))
    return (f"{WHOLE}{parts[-1].place[1]}" if parts else ""), parts


def recognised(shard: Shard, key: str) -> tuple[str, Iterator[Block]]:
    """What another shard is known by, and its blocks: a file by its path, others by a first row."""
    blocks = shard.blocks()
    if isinstance(shard.source, (str, os.PathLike)):
        return os.path.realpath(shard.source), blocks
    first = next((block for block in blocks if length(block)), None)
    if first is None:
        return "", iter(())
    X, y, w = (*cut(first, 0, 1), None)[:3]
    X, keys = split_key(key, X, f"{shard.name}: ")
    digest = RowDigest()
    digest.add(keys, X, y, w)
    return f"first row {digest.place()[1]}", chain([first], blocks)


def compared(name: str, blocks: Iterator[Block], key: str, places: list[Place]) -> Iterator[Part]:
    """The rows of a source; they must begin with those that were learned.

    Parts end where a worker has come to, so that it has learned all of a part or nothing.
    """
    cursor, digest = Cursor(blocks), RowDigest()
    while True:
        first = digest.rows
        block = cursor.take(min([BLOCK, *(rows - first for rows, _ in places if rows > first)]))
        if block is None:
            break
        X, y, w = (*block, None)[:3]
        X, keys = split_key(key, X, f"{name}: ", first)
        digest.add(keys, X, y, w)
        place = digest.place()
        if any(known[0] == place[0] and known != place for known in places):
            raise changed(name, place[0], "these are others now")
        yield Part(first, keys, X, y, w, place)
    most = max(rows for rows, _ in places)
    if digest.rows < most:
        raise changed(name, most, f"there are {digest.rows:,} now")


def changed(name: str, rows: int, how: str) -> ValueError:
    """The error about a source that does not begin with what was learned of it."""
    return ValueError(
        f"KeyedModels: {name}: its first {rows:,} rows were learned, but {how}: it was replaced or "
        f"edited, or is read with other options. Give new rows in a file of another name, or to "
        f"learn_many; rows that were corrected need new models (another folder)."
    )
