"""Streams made of a stream: a part of it, in another order, several times over."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.blocks import Block, cut, join, length, take
from ..base.checks import whole
from .stream import Cursor, Progress, Stream, regrouped


class Arranged(Stream):
    """A stream of the rows of another one, which does the counting."""

    def __init__(self, source: Stream) -> None:
        if not isinstance(source, Stream):
            raise TypeError(
                f"{type(self).__name__}: a stream is needed, got {type(source).__name__}; "
                f"onstream.streams.from_iterable makes one of any iterable."
            )
        self.source = source
        self.files = source.files

    @property
    def _who(self) -> str:
        return self.source._who

    @property
    def endless(self) -> bool:
        """Say whether it never ends."""
        return self.source.endless

    @property
    def live(self) -> bool:
        """Say whether rows arrive while we wait."""
        return self.source.live

    def halt(self) -> None:
        """Wait for no more rows."""
        self.source.halt()

    def expect(self, expected: Any) -> bool:
        """Take note of what is known of the columns."""
        return self.source.expect(expected)

    @property
    def _progress(self) -> Progress:
        return self.source._progress

    @property
    def bytes_total(self) -> int | None:
        """Bytes of all files; None if unknown."""
        return self.source.bytes_total

    @property
    def messages(self) -> list[str]:
        """Why the first few lines were left out."""
        return self.source.messages


class Slice(Arranged):
    """The rows of a stream after the first `skip`, at most `limit` of them."""

    def __init__(self, source: Stream, *, skip: int = 0, limit: int | None = None) -> None:
        super().__init__(source)
        self.first = whole(self._who, "skip", skip, least=0)
        self.most = None if limit is None else whole(self._who, "limit", limit, least=0)

    @property
    def endless(self) -> bool:
        """Say whether it never ends."""
        return self.most is None and self.source.endless

    def _batches(self, n: int) -> Iterator[Block]:
        size = n if self.most is None else max(1, min(n, self.first + self.most))
        return regrouped(self._part_of(self.source.batches(size)), n)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of any size; of a pipe as they come, so that no row waits for another."""
        return self._part_of(self.source.blocks()) if self.live else super().blocks()

    def _part_of(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The rows that are wanted, out of all."""
        skip, left = self.first, self.most
        if left == 0:
            return
        for block in blocks:
            start = min(skip, length(block))
            stop = length(block) if left is None else min(length(block), start + left)
            skip -= start
            if stop > start:
                yield cut(block, start, stop)
            if left is not None:
                left -= stop - start
                if left == 0:
                    return


class Shuffled(Arranged):
    """A stream in random order, as far as a buffer of `buffer` rows allows.

    The buffer is filled; then, again and again, half as many new rows join it and as many random
    ones go out. Every iteration has its own order, the first one the same for the same seed.
    """

    def __init__(self, source: Stream, *, buffer: int = 10_000, seed: int = 0) -> None:
        super().__init__(source)
        self.buffer = whole(self._who, "shuffle", buffer, least=1)
        self.seed = whole(self._who, "seed", seed, least=0)
        self._round = 0

    def _batches(self, n: int) -> Iterator[Block]:
        rng = np.random.default_rng([self.seed, self._round])
        self._round += 1
        return regrouped(self._mixed(rng), n)

    def _mixed(self, rng: np.random.Generator) -> Iterator[Block]:
        step = max(1, self.buffer // 2)  # the order does not depend on what the user asks for
        cursor = Cursor(self.source.batches(step))
        pool = cursor.take(self.buffer)
        if pool is None:
            return
        while (block := cursor.take(step)) is not None:
            pool = join([pool, block])
            order = rng.permutation(length(pool))
            going = length(block)
            yield take(pool, order[:going])
            pool = take(pool, np.sort(order[going:]))
        yield take(pool, rng.permutation(length(pool)))


class Repeated(Arranged):
    """A stream several times over."""

    def __init__(self, source: Stream, *, epochs: int) -> None:
        super().__init__(source)
        self.epochs = whole(self._who, "epochs", epochs, least=1)
        self._before = Progress()  # of the epochs that are done

    def _batches(self, n: int) -> Iterator[Block]:
        self._before = Progress()
        for epoch in range(self.epochs):
            yield from self.source.batches(n)
            if epoch + 1 < self.epochs:
                self._before = self._progress

    @property
    def _progress(self) -> Progress:
        """That of all epochs together."""
        both = zip(self._before, self.source._progress, strict=True)
        return Progress(*(before + now for before, now in both))

    @property
    def bytes_total(self) -> int | None:
        """Bytes of all epochs; None if unknown."""
        total = self.source.bytes_total
        return None if total is None else total * self.epochs
