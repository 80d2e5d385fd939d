"""Rows of a source that were learned before: recognised by a digest, so that only others are new.

A source is read from its first row on each time. What is said of it is how many of its rows were
learned, and their digest; so it may have grown since, or have been mended further on.
"""

import hashlib
import os
import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..base.blocks import Block, cut, length, values
from ..core.arrow import as_array
from ..streams.stream import Cursor
from .keys import split_key
from .shards import Shard

BLOCK = 4096  # rows that are learned at once
NUMBER = struct.Struct("<qd").pack  # a row and its value
Place = tuple[int, str]  # how many rows of a source were learned, and their digest
Cells = tuple[Sequence[int], list[Any]]  # rows, and what they have in a column


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
            for name, cells in columns_of_mappings(X, self.rows).items():
                self._update(f"x{name!r}", packed(*cells))
        else:
            columns.update({f"x{name!r}": X.column(name) for name in X.column_names})
        for name, column in columns.items():
            if column is not None:
                self._update(name, self._cells(column))
        self.rows += len(keys)

    def _update(self, name: str, cells: bytes) -> None:
        if not cells:
            return
        if name not in self.columns:
            self.columns[name] = hashlib.blake2b(digest_size=16)
        self.columns[name].update(cells)

    def _cells(self, column: Any) -> bytes:
        """The values of a column with their rows, one after the other."""
        numbers = floats(column)
        if numbers is None:
            return packed(*present_cells(values(column), self.rows))
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


def columns_of_mappings(X: list[dict[Any, Any]], first: int) -> dict[Any, Cells]:
    """What is not missing of each feature; rows are counted from `first`."""
    if X and all(x.keys() == X[0].keys() for x in X):
        return {name: present_cells([x[name] for x in X], first) for name in X[0]}
    columns: dict[Any, Cells] = {}
    for row, x in enumerate(X, first):
        for name, value in x.items():
            if value is not None:
                if name not in columns:
                    columns[name] = [], []
                rows, found = columns[name]
                rows.append(row)
                found.append(value)
    return columns


def present_cells(column: list[Any], first: int) -> Cells:
    """What is not missing of a column; rows are counted from `first`."""
    if None not in set(map(type, column)):
        return range(first, first + len(column)), column
    rows = [row for row, value in enumerate(column, first) if value is not None]
    return rows, [value for value in column if value is not None]


def packed(rows: Sequence[int], found: list[Any]) -> bytes:
    """Values with their rows: each in bytes that do not depend on the others."""
    if {int, float, bool}.issuperset(map(type, found)):
        try:
            return b"".join(map(NUMBER, rows, found))
        except (OverflowError, struct.error):
            pass  # an int that no float can hold
    return b"".join(map(packed_cell, rows, found))


def packed_cell(row: int, value: Any) -> bytes:
    """The same of one value, which may be of NumPy."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, float)):
        try:
            return NUMBER(row, float(value))
        except OverflowError:
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


def recognised(shard: Shard, key: str) -> tuple[str, Iterator[Block]]:
    """What a shard is known by, and its blocks: a file by its path, any other by its first row."""
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
