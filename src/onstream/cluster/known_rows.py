"""Rows of a source that were learned before: recognised by a digest, so that only others are new.

A source is read from its first row on each time. What is said of it is how many of its rows were
learned, and their digest; so it may have grown since, or have been mended further on.
"""

import hashlib
import os
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..base.blocks import Block, cut, length, values
from ..streams.stream import Cursor
from .keys import split_key
from .shards import Shard

BLOCK = 4096  # rows that are learned at once
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
    """A digest of rows, whatever the blocks they come in: of each column the values and their rows.

    Missing values are left out, so a column that begins late was missing before. Numbers are taken
    as floats, as learners take them.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.columns: dict[str, Any] = {}

    def add(self, keys: list[str], X: Any, y: Any, w: Any) -> None:
        """Go on with these rows."""
        columns = {"key": keys, "y": y, "w": w}
        if isinstance(X, list):
            for row, x in enumerate(X, self.rows):
                for name, value in x.items():
                    self._hash(f"x{name!r}").update(f"{row}:{value!r};".encode(errors="replace"))
        else:
            columns.update({f"x{name!r}": X.column(name) for name in X.column_names})
        for name, column in columns.items():
            if column is not None:
                self._hash(name).update(self._cells(column))
        self.rows += len(keys)

    def _hash(self, name: str) -> Any:
        if name not in self.columns:
            self.columns[name] = hashlib.blake2b(digest_size=16)
        return self.columns[name]

    def _cells(self, column: Any) -> bytes:
        """The values of a column with their rows, one after the other."""
        numbers = floats(column)
        if numbers is None:
            cells = enumerate(values(column), self.rows)
            text = "".join(f"{row}:{value!r};" for row, value in cells if value is not None)
            return text.encode(errors="replace")
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


def floats(column: Any) -> tuple[Any, Any] | None:
    """The rows of a column of numbers that are not missing, and their values; None: no numbers."""
    if isinstance(column, np.ndarray):
        return (np.arange(len(column)), column) if column.dtype.kind in "biuf" else None
    if not hasattr(column, "to_pylist"):
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    if not any(of(column.type) for of in kinds):
        return None
    present = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    return present, pc.cast(column.drop_null(), pa.float64(), safe=False).to_numpy()


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
