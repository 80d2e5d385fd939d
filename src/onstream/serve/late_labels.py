"""Features of predictions, kept until their label comes: bounded in time, number and bytes."""

import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import msgspec

from .example import Features

MOST_BYTES = 64 << 20  # of features as JSON, for each model


class Kept(msgspec.Struct, array_like=True):
    """The features of one prediction."""

    id: str
    x: Features
    size: int
    expires: float  # by the clock of the wall: a restart does not change it
    learned: bool = False  # stays known, so that a label that is sent again is a duplicate


decode = msgspec.json.Decoder(list[Kept]).decode


class LateLabels:
    """What was predicted under an id, the oldest first."""

    def __init__(self, path: Path, ttl: float, cap: int) -> None:
        self.path, self.ttl, self.cap = path, ttl, cap
        self.kept: OrderedDict[str, Kept] = OrderedDict()
        self.size = self.waiting = 0
        self.expired = 0  # predictions whose label never came, for want of time or room
        self.read()

    def keep(self, id: str, x: Any, size: int) -> None:
        """Keep features; those that are too old, or too many, go."""
        old = self.kept.pop(id, None)
        if old is not None:
            self.size -= old.size
            self.waiting -= not old.learned
        self.kept[id] = Kept(id, x, size, time.time() + self.ttl)
        self.size += size
        self.waiting += 1
        self.expire()

    def expire(self) -> None:
        """Drop what is too old, and the oldest of what is too much."""
        now = time.time()
        while self.kept:
            first = next(iter(self.kept.values()))
            full = len(self.kept) > self.cap or self.size > MOST_BYTES
            if not full and first.expires >= now:
                return
            del self.kept[first.id]
            self.size -= first.size
            if not first.learned:
                self.waiting -= 1
                self.expired += 1

    def find(self, id: str) -> Kept | None:
        """What was predicted under an id; None: not known, or no longer."""
        self.expire()
        return self.kept.get(id)

    def learned(self, ids: list[str]) -> None:
        """Note that the labels of these came."""
        for id in ids:
            kept = self.kept.get(id)
            if kept is not None and not kept.learned:
                kept.learned = True
                self.waiting -= 1

    def read(self) -> None:
        """Take up what was kept when the service ended in order, and only then."""
        try:
            found = decode(self.path.read_bytes())
        except (OSError, msgspec.DecodeError):
            return
        self.path.unlink()
        for one in found:
            self.kept[one.id] = one
            self.size += one.size
            self.waiting += not one.learned
        self.expire()

    def write(self) -> None:
        """Leave what is kept for the next start. It is a convenience, not a promise."""
        self.expire()
        if self.kept:
            self.path.write_bytes(msgspec.json.encode(list(self.kept.values())))
