"""What was learned, as the disk has it: the log, snapshots of states, and how both give a state.

A state is the newest whole snapshot and the log after it, which gives the same bits: nothing that
decides what is learned reads a clock or draws a random number of its own.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..persist import ModelFileError, dumps
from .example import Refused
from .log import Log, StoreError
from .snapshots import Snapshot, Snapshots
from .state import LiveState, Watch

NO_MODEL = "there is no model here; give a learner."
Progress = Callable[[int, int], None]


def check_begin(path: Path, learner: Any) -> None:
    """Refuse, before anything is made, what cannot begin in a folder that has no model."""
    if (path / "log.sqlite3").exists() or (path / "snapshots").exists():
        return
    if learner is None:
        raise StoreError(f"{path}: {NO_MODEL}")
    dumps(learner)


def begin(path: Path, learner: Any) -> None:
    """Make what a folder needs to be opened as a model in this state; nothing is read back."""
    Snapshots(path / "snapshots").write(learner, 0, 0)
    log = Log(path)
    try:
        log.begin()
        log.put("begun", 1)
        log.commit()
    finally:
        log.close()


class History:
    """The past of one model, up to its live state. After the start, only the writer changes it."""

    def __init__(self, path: Path, log: Log, window: int) -> None:
        self.path, self.log, self.window = path, log, window
        self.snapshots = Snapshots(path / "snapshots")
        self.damaged: list[str] = []  # snapshots that could not be read
        self.next = 1  # number of the next example
        self.epoch = 0  # how often history was rewritten
        self.saved = 0  # number of the newest snapshot
        self.state: LiveState
        self._sum: tuple[int, int, str] | None = None

    # --- a start --------------------------------------------------------------------------------

    def recover(self, learner: Any, progress: Progress | None, watch: Watch | None) -> None:
        """The newest whole snapshot, and every record after it; of a new folder, the learner."""
        log = self.log
        self.next = log.get("next_seq", 1)
        self.epoch = log.epoch()
        if not self.snapshots.all():
            if learner is None:
                raise StoreError(f"{self.path}: {NO_MODEL}")
            if self.next > 1 or log.get("begun"):
                raise StoreError(f"{self.path}: the snapshots are gone. Put them back.")
            self.snapshots.write(learner, 0, 0)
        log.begin()
        log.put("begun", 1)
        log.commit()
        known, snapshot, self.damaged = self.newest()
        if learner is not None and repr(learner) != repr(known):
            raise ValueError(
                f"DurableModel: {self.path} holds a {known!r}, not a {learner!r}. "
                f"Leave out the learner to go on with it."
            )
        self.state = LiveState(known, snapshot.seq, watch)
        self.saved = snapshot.seq
        self.next = max(self.next, snapshot.seq + 1)
        self.replay(self.state, progress)
        self.state.seq = max(self.state.seq, log.get("version", 0))

    def newest(self, to_seq: int | None = None) -> tuple[Any, Snapshot, list[str]]:
        """The newest state from which the log goes on."""
        complete = self.log.get("complete_from", 1)

        def usable(epoch: int, seq: int) -> bool:
            return self.log.holds(epoch, seq) and seq + 1 >= complete

        try:
            return self.snapshots.newest(usable, to_seq)
        except ModelFileError as error:
            raise StoreError(f"{self.path}: no snapshot can be used: {error}") from None

    def replay(self, state: LiveState, progress: Progress | None = None) -> None:
        """Learn every record after a state."""
        after = state.seq
        for first, examples in self.log.records(after):
            begin = max(0, after + 1 - first)
            rows = [row for row in range(begin, len(examples)) if examples[row] is not None]
            refused = state.learn([examples[row] for row in rows], [first + row for row in rows])
            if refused:  # a crash came before they were taken out
                self.take_out(first, examples, [rows[i] for i, _ in refused])
            if progress is not None:
                progress(state.seq, self.next - 1)

    def take_out(self, first: int, examples: list[Any], rows: list[int]) -> None:
        """Forget what the learner refused of a record."""
        rewriting = self.log.db.in_transaction
        if not rewriting:
            self.log.begin()
        self.log.take_out(first, examples, rows)
        if not rewriting:
            self.log.commit()

    # --- now ------------------------------------------------------------------------------------

    def state_sum(self) -> str:
        """The SHA-256 of the state, which nobody may be changing."""
        now = (self.epoch, self.state.seq)
        if self._sum is None or self._sum[:2] != now:
            self._sum = (*now, hashlib.sha256(dumps(self.state.learner)).hexdigest())
        return self._sum[2]

    def snapshot(self) -> Path:
        """Write the state down, and forget what nobody will ask for any more."""
        path = self.snapshots.write(self.state.learner, self.state.seq, self.epoch).path
        self.saved = self.state.seq
        oldest, last = self.snapshots.prune(self.log.holds), self.next - 1
        self.log.begin()
        self.log.forget(min(oldest, last - self.window), last - self.window)
        self.log.commit()
        self.log.checkpoint(always=True)
        return path

    # --- rewritten ------------------------------------------------------------------------------

    def roll_back(self, to_seq: int) -> int:
        """Go back to the state after an example; its number."""
        if not 0 <= to_seq <= self.state.seq:
            raise Refused(
                f"rollback: to_seq must be from 0 to {self.state.seq:,}, got {to_seq:,}.",
                "to_seq",
                "Later states are those of examples to come.",
            )
        self.newest(to_seq)  # or say now that it is too long ago
        self.log.begin()
        self.log.cut(to_seq)
        self.rewrite(to_seq, f"rollback to {to_seq}", to_seq)
        return to_seq

    def exclude(self, source: str) -> int:
        """Become what would be there without a source; how many examples it had."""
        first = self.log.first_of(source)
        oldest = self.log.get("complete_from", 1)
        if first is None and oldest == 1:
            return 0
        if first is None or first < oldest:
            raise StoreError(
                f"replay: the log begins with example {oldest:,}; what {source!r:.80} said before "
                f"cannot be taken out. A larger window keeps more."
            )
        self.newest(first - 1)
        self.log.begin()
        taken = self.log.exclude(source)
        version = self.next  # a state that never was has a number of its own
        self.log.put("next_seq", version + 1)
        self.rewrite(first - 1, f"without source {source}", version)
        self.next = version + 1
        return taken

    def rewrite(self, after: int, what: str, version: int) -> None:
        """Become what the changed log says, then commit the change.

        Predictions go on from the old state until that is done; if it cannot be done, both the
        log and the state stay as they were.
        """
        self.log.rewrite(after, what)
        self.log.put("version", version)
        learner, snapshot, _ = self.newest(version)
        aside = LiveState(learner, snapshot.seq)
        self.replay(aside)
        self.log.commit()
        with self.state.gate:
            self.state.learner, self.state.seq = aside.learner, version
            self.epoch = self.log.epoch()
        self.saved = snapshot.seq
