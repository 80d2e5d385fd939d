"""Sparse rows of named features, as readers of text files build them, without Python strings.

Row i has the entries starts[i] ... starts[i + 1] - 1. An entry is a value, the 64-bit hash of its
feature's name (without a seed, see hashing.pxd), and the bytes of that name. A learner with hashed
features uses only the hashes; one with named features makes one string for each distinct name.
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
        The names, one after the other, in UTF-8.
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
        """A block of arrays that fit together and have the right types; nothing is checked.

        `names` is (name_starts, names), or a function that builds this pair at its first use.
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
        """`name_starts` and `names`, built at the first call if that was put off."""
        pair = self._names  # read once: another thread may be replacing the function by the pair
        if callable(pair):
            pair = self._names = pair()
        starts, names = pair
        return starts, names

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.starts, self.values, self.hashes, self.name_starts, self.names)
        return SparseBlock, (*parts, self.integers)

    def __repr__(self) -> str:
        return f"<SparseBlock of {len(self):,} rows, {len(self.values):,} entries>"

    def __getitem__(self, rows: slice) -> "SparseBlock":
        """A slice of the rows."""
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
        """The rows in the given order."""
        return self._of_entries(*gathered(self.starts, np.asarray(order, dtype=np.int64)))

    def with_entries(self, keep: Any) -> "SparseBlock":
        """The rows with only the entries where `keep` is True."""
        starts = np.concatenate([[0], np.cumsum(keep)])[self.starts]
        return self._of_entries(starts, np.flatnonzero(keep))

    def _of_entries(self, starts: Any, entries: Any) -> "SparseBlock":
        name_starts, letters = gathered(self.name_starts, entries)
        return SparseBlock.trusted(
            starts,
            self.values[entries],
            self.hashes[entries],
            (name_starts, self.names[letters]),
            self.integers,
        )

    @staticmethod
    def joined(blocks: Sequence["SparseBlock"]) -> "SparseBlock":
        """One block with the rows of all `blocks`."""

        def names() -> tuple[Any, Any]:
            return (
                chained([block.name_starts for block in blocks]),
                np.concatenate([block.names for block in blocks]),
            )

        lazy = any(callable(block._names) for block in blocks)
        return SparseBlock.trusted(
            chained([block.starts for block in blocks]),
            np.concatenate([block.values for block in blocks]),
            np.concatenate([block.hashes for block in blocks]),
            names if lazy else names(),
            all(block.integers for block in blocks),
        )

    def distinct(self) -> tuple[list[Any], Any]:
        """The distinct names, and for each entry the index of its name."""
        from .rows import distinct_names

        which, first = distinct_names(self)
        text, starts = self.names.tobytes(), self.name_starts
        spans = zip(starts[first].tolist(), starts[first + 1].tolist(), strict=True)
        names: list[Any]
        if text.isascii():  # then letters are bytes
            letters = text.decode()
            names = [letters[a:b] for a, b in spans]
        else:
            names = [text[a:b].decode() for a, b in spans]
        return [int(name) for name in names] if self.integers else names, which

    def mappings(self) -> Iterator[dict[Any, float]]:
        """The rows as dicts; values of a feature that is in a row twice are added."""
        names, which = self.distinct()
        values, features, starts = self.values.tolist(), which.tolist(), self.starts.tolist()
        for a, b in pairwise(starts):
            row: dict[Any, float] = {}
            for j in range(a, b):
                name = names[features[j]]
                row[name] = row[name] + values[j] if name in row else values[j]
            yield row


def covers(starts: Any, total: int) -> bool:
    """Say whether the slices begin at 0, end at `total`, and have no negative length."""
    return int(starts[0]) == 0 and int(starts[-1]) == total and bool((np.diff(starts) >= 0).all())


def gathered(starts: Any, order: Any) -> tuple[Any, Any]:
    """Starts of the slices when put in this order, and the indices of their items."""
    lengths = np.diff(starts)[order]
    new = np.concatenate([[0], np.cumsum(lengths)])
    return new, np.repeat(starts[order] - new[:-1], lengths) + np.arange(new[-1])


def chained(parts: Sequence[Any]) -> Any:
    """Starts of the slices of several arrays when these are joined."""
    ends = np.cumsum([0, *(int(part[-1]) for part in parts)])
    moved = [part[1:] + end for part, end in zip(parts, ends, strict=False)]
    return np.concatenate([[0], *moved])
