"""Sparse rows as a reader of text makes them: named features without a Python string.

Row i has the entries starts[i] ... starts[i + 1]; entry j is a feature with a value, the 64-bit
hash of its name (without any seed, see hashing.pxd), and the bytes of its name. A hashed learner
uses the hashes alone; a learner with named features makes one string for each different name.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


class SparseBlock:
    """Rows of named features; learners take it as X.

    Parameters
    ----------
    starts : int64 array of rows + 1 numbers
        Where the entries of each row begin.
    values : float64 array
        The value of each entry, finite.
    hashes : uint64 array
        The hash of each entry's name.
    name_starts : int64 array of entries + 1 numbers
        Where the bytes of each name begin.
    names : uint8 array
        The names, one after the other, in UTF-8. Readers make them only when they are asked for.
    integers : bool, default False
        Names are whole numbers in decimal form: examples have int keys.
    """

    def __init__(
        self,
        starts: Any,
        values: Any,
        hashes: Any,
        name_starts: Any,
        names: Any,
        integers: bool = False,
    ) -> None:
        self.starts: NDArray[np.int64] = np.ascontiguousarray(starts, dtype=np.int64)
        self.values: NDArray[np.float64] = np.ascontiguousarray(values, dtype=np.float64)
        self.hashes: NDArray[np.uint64] = np.ascontiguousarray(hashes, dtype=np.uint64)
        self._names: Any = (
            np.ascontiguousarray(name_starts, dtype=np.int64),
            np.ascontiguousarray(names, dtype=np.uint8),
        )
        self.integers = bool(integers)
        entries = len(self.values)
        if (
            len(self.starts) == 0
            or not covers(self.starts, entries)
            or len(self.hashes) != entries
            or len(self.name_starts) != entries + 1
            or not covers(self.name_starts, len(self.names))
        ):
            raise ValueError("SparseBlock: the arrays do not fit together.")

    @classmethod
    def trusted(
        cls, starts: Any, values: Any, hashes: Any, names: Any, integers: bool
    ) -> "SparseBlock":
        """A block of arrays that are known to fit together and to have the right types.

        `names` is (name_starts, names), or a function that makes them when they are asked for.
        """
        block = cls.__new__(cls)
        block.starts, block.values, block.hashes = starts, values, hashes
        block._names, block.integers = names, integers
        return block

    @property
    def name_starts(self) -> NDArray[np.int64]:
        """Where the bytes of each name begin."""
        return self.named()[0]

    @property
    def names(self) -> NDArray[np.uint8]:
        """The bytes of the names."""
        return self.named()[1]

    def named(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Both; made at the first call, if they were not made before."""
        made = self._names  # asked once: another thread may be making them, too
        if callable(made):
            made = self._names = made()
        starts, names = made
        return starts, names

    def __len__(self) -> int:
        """How many rows."""
        return len(self.starts) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.starts, self.values, self.hashes, self.name_starts, self.names)
        return SparseBlock, (*parts, self.integers)

    def __repr__(self) -> str:
        return f"<SparseBlock of {len(self):,} rows, {len(self.values):,} entries>"

    def __getitem__(self, rows: slice) -> "SparseBlock":
        """Rows one after the other."""
        first, stop, step = rows.indices(len(self))
        if step != 1:
            return self.take(np.arange(first, stop, step))
        stop = max(first, stop)
        a, b = int(self.starts[first]), int(self.starts[stop])

        def names() -> tuple[Any, Any]:
            starts, letters = self.named()
            c, d = int(starts[a]), int(starts[b])
            return starts[a : b + 1] - c, letters[c:d]

        return SparseBlock.trusted(
            self.starts[first : stop + 1] - a,
            self.values[a:b],
            self.hashes[a:b],
            names if callable(self._names) else names(),
            self.integers,
        )

    def take(self, order: Any) -> "SparseBlock":
        """Rows in another order."""
        order = np.asarray(order, dtype=np.int64)
        starts, entries = gathered(self.starts, order)
        name_starts, letters = gathered(self.name_starts, entries)
        return SparseBlock.trusted(
            starts,
            self.values[entries],
            self.hashes[entries],
            (name_starts, self.names[letters]),
            self.integers,
        )

    def with_entries(self, keep: Any) -> "SparseBlock":
        """The rows with some of their entries."""
        entries = np.flatnonzero(keep)
        name_starts, letters = gathered(self.name_starts, entries)
        return SparseBlock.trusted(
            np.concatenate([[0], np.cumsum(keep)])[self.starts],
            self.values[entries],
            self.hashes[entries],
            (name_starts, self.names[letters]),
            self.integers,
        )

    @staticmethod
    def joined(blocks: Sequence["SparseBlock"]) -> "SparseBlock":
        """The rows of several blocks."""

        def names() -> tuple[Any, Any]:
            return (
                chained([block.name_starts for block in blocks]),
                np.concatenate([block.names for block in blocks]),
            )

        late = any(callable(block._names) for block in blocks)
        return SparseBlock.trusted(
            chained([block.starts for block in blocks]),
            np.concatenate([block.values for block in blocks]),
            np.concatenate([block.hashes for block in blocks]),
            names if late else names(),
            all(block.integers for block in blocks),
        )

    def distinct(self) -> tuple[list[Any], Any]:
        """The different names, and which of them each entry has."""
        from .rows import distinct_names

        which, first = distinct_names(self)
        text = self.names.tobytes()
        spans = [(int(self.name_starts[j]), int(self.name_starts[j + 1])) for j in first]
        names: list[Any] = [text[a:b].decode() for a, b in spans]
        return [int(name) for name in names] if self.integers else names, which

    def mappings(self) -> Iterator[dict[Any, float]]:
        """The rows as dicts; a feature that stands in a row twice counts with the sum."""
        names, which = self.distinct()
        values, features, starts = self.values.tolist(), which.tolist(), self.starts.tolist()
        for a, b in pairwise(starts):
            row: dict[Any, float] = {}
            for j in range(a, b):
                name = names[features[j]]
                row[name] = row[name] + values[j] if name in row else values[j]
            yield row


def covers(starts: Any, total: int) -> bool:
    """Say whether pieces begin at 0, end at the total, and have no negative length."""
    return int(starts[0]) == 0 and int(starts[-1]) == total and bool((np.diff(starts) >= 0).all())


def gathered(starts: Any, order: Any) -> tuple[Any, Any]:
    """Where pieces begin when put in this order, and the items they consist of."""
    lengths = np.diff(starts)[order]
    new = np.concatenate([[0], np.cumsum(lengths)])
    return new, np.repeat(starts[order] - new[:-1], lengths) + np.arange(new[-1])


def chained(parts: Sequence[Any]) -> Any:
    """Where pieces begin when several lists of them follow each other."""
    ends = np.cumsum([0, *(int(part[-1]) for part in parts)])
    moved = [part[1:] + end for part, end in zip(parts, ends, strict=False)]
    return np.concatenate([[0], *moved])
