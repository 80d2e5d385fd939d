"""States of a model in files, each with the number of the last example that it has learned."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..persist import ModelFileError, load, load_notes, save

NAME = re.compile(r"(\d{20})-(\d{6})\.onstream")
KEPT = 3


class Snapshot(NamedTuple):
    """Where a state is, and of which moment."""

    seq: int
    epoch: int
    path: Path


class Snapshots:
    """The folder of them. The first state of all (number 0) stays, whatever comes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for scratch in folder.glob(".onstream-*.tmp"):  # of who was killed: nobody else is here
            scratch.unlink(missing_ok=True)

    def all(self) -> list[Snapshot]:
        """Every snapshot, the newest first."""
        names = (NAME.fullmatch(path.name) for path in self.folder.iterdir())
        found = [
            Snapshot(int(name[1]), int(name[2]), self.folder / name[0]) for name in names if name
        ]
        return sorted(found, reverse=True)

    def write(self, learner: Any, seq: int, epoch: int) -> Snapshot:
        """Save a state; the file is whole or not there."""
        path = self.folder / f"{seq:020}-{epoch:06}.onstream"
        save(learner, path, notes={"seq": seq, "epoch": epoch})
        return Snapshot(seq, epoch, path)

    def read(self, snapshot: Snapshot) -> Any:
        """The state of a snapshot; a damaged or misnamed file is a ModelFileError."""
        notes = load_notes(snapshot.path)
        if notes != {"seq": snapshot.seq, "epoch": snapshot.epoch}:
            raise ModelFileError(f"{snapshot.path}: the file is of another moment than its name.")
        return load(snapshot.path)

    def newest(
        self, holds: Callable[[int, int], bool], to_seq: int | None = None
    ) -> tuple[Any, Snapshot, list[str]]:
        """The newest state that is whole and part of history, and what is wrong with newer ones."""
        damaged: list[str] = []
        for snapshot in self.all():
            if not holds(snapshot.epoch, snapshot.seq):
                continue
            if to_seq is not None and snapshot.seq > to_seq:
                continue
            try:
                return self.read(snapshot), snapshot, damaged
            except (ModelFileError, OSError) as error:
                damaged.append(str(error))
        raise ModelFileError("; ".join(damaged) or "there is no snapshot from so early.")

    def prune(self, holds: Callable[[int, int], bool]) -> int:
        """Keep the last few, and the first of all; the number of the oldest that is kept."""
        good = [one for one in self.all() if holds(one.epoch, one.seq)]
        kept = good[:KEPT]
        for one in self.all():
            if one not in kept and one.seq > 0:
                one.path.unlink(missing_ok=True)
        return min((one.seq for one in kept), default=0)
