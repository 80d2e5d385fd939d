"""From one stream to another, at once or little by little."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.blocks import Block, columns_of, join, length, take
from ...base.checks import number, whole
from ..stream import Cursor, Progress, Stream


class Drift(Stream):
    """One stream that turns into another.

    Example t = 0, 1, ... comes from `after` with probability 1/(1 + exp(−4(t − at)/width)), else
    from `before`. Only the stream it comes from goes on. Drifts may be nested.

    Parameters
    ----------
    before, after : Stream
        What it is at first, and what it becomes; they must have the same features.
    at : int >= 0
        The middle of the change.
    width : float >= 0, default 0
        How long the change takes: half a width away from the middle it is 12 % or 88 % done.
        0 is abrupt.
    seed : int, default 0
        Another seed, another mixture during the change.

    Examples
    --------
    >>> from onstream.streams import SEA
    >>> stream = Drift(SEA(1, seed=1), SEA(3, seed=2), at=5000, width=500)
    >>> X, y = stream.block(10_000)
    >>> X.shape
    (10000, 3)
    """

    _progress = Progress()

    def __init__(
        self, before: Stream, after: Stream, at: int, width: float = 0.0, *, seed: int = 0
    ) -> None:
        for name, stream in (("before", before), ("after", after)):
            if not isinstance(stream, Stream):
                raise TypeError(
                    f"Drift: {name} must be a stream, got {type(stream).__name__}; "
                    f"onstream.streams.from_iterable makes one of any iterable."
                )
        self.before = before
        self.after = after
        self.at = whole(self, "at", at, least=0)
        self.width = number(self, "width", width, least=0.0)
        self.seed = whole(self, "seed", seed, least=0)

    @property
    def endless(self) -> bool:
        """Say whether it never ends."""
        return self.after.endless

    def _batches(self, n: int) -> Iterator[Block]:
        count = 0
        chance = np.random.default_rng(self.seed)
        before, after = Cursor(self.before.batches(n)), Cursor(self.after.batches(n))
        while True:
            late = chance.random(n) < self._probability(np.arange(count, count + n))
            block = self._interleaved(before, after, late)
            if block is not None:
                count += length(block)
                self._progress = Progress(count)
                yield block
            if block is None or length(block) < n:
                return

    def _probability(self, t: np.ndarray) -> np.ndarray:
        if self.width == 0.0:
            return (t >= self.at).astype(np.float64)
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(-4.0 * (t - self.at) / self.width)))

    def _interleaved(self, before: Cursor, after: Cursor, late: np.ndarray) -> Block | None:
        """The next rows; it ends when the stream whose turn it is has ended."""
        places = [np.flatnonzero(~late), np.flatnonzero(late)]
        parts = [cursor.take(len(p)) for cursor, p in zip((before, after), places, strict=True)]
        end = len(late)
        for part, place in zip(parts, places, strict=True):
            got = 0 if part is None else length(part)
            if got < len(place):
                end = min(end, int(place[got]))
        here = [
            (part, place[place < end])
            for part, place in zip(parts, places, strict=True)
            if part is not None
        ]
        if end == 0 or not here:
            return None
        if len(here) == 1:
            return take(here[0][0], np.arange(end))
        same_columns(here[0][0][0], here[1][0][0])
        joined = join([here[0][0], here[1][0]])
        order = np.empty(end, dtype=np.int64)
        order[here[0][1]] = np.arange(len(here[0][1]))
        order[here[1][1]] = length(here[0][0]) + np.arange(len(here[1][1]))
        return take(joined, order)

    def __repr__(self) -> str:
        return f"Drift({self.before!r}, {self.after!r}, at={self.at}, width={self.width:g})"


def same_columns(before: Any, after: Any) -> None:
    """Refuse two streams that cannot follow each other."""
    ours, theirs = columns_of(before), columns_of(after)
    if type(before) is not type(after) or ours != theirs:
        raise ValueError(
            f"Drift: before and after must have the same features; they have "
            f"{ours!r:.80} and {theirs!r:.80}."
        )
