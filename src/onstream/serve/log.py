"""The log under a model: SQLite with write-ahead log, synced before a commit returns.

A record is one request: its examples as JSON, with consecutive sequence numbers from `first` on. A
`null` in it is an example that was taken out (refused by the learner, rolled back, or of a source
that was excluded); its number is never given again. One connection writes and checkpoints.
"""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from .example import Example

TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS log (
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS ids (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS sources (
    source TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rewrites (
    epoch INTEGER PRIMARY KEY, after INTEGER NOT NULL, what TEXT NOT NULL);
"""
FORMAT = 1
CHECKPOINT = 8 << 20  # bytes of the write-ahead log after which it goes into the database
AT_ONCE = 500  # ids asked for in one statement
mine: dict[str, int] = {}  # real paths of logs that are open here, and in which process
decode = msgspec.json.Decoder(list[Example | None]).decode
encode = msgspec.json.Encoder().encode


class StoreError(RuntimeError):
    """The store cannot be used; the message says why."""


class Log:
    """The records of one model. Methods that change it run inside `transaction`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "log.sqlite3"
        self.wal = folder / "log.sqlite3-wal"
        try:
            self.db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=0.5
            )
            self.open()
        except sqlite3.DatabaseError as error:
            self.refuse(error)
        mine[os.path.realpath(self.path)] = os.getpid()

    def open(self) -> None:
        """Take the file for this process alone, and look whether it is whole."""
        run = self.db.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        mode = run("PRAGMA journal_mode=WAL").fetchone()[0]
        run("PRAGMA synchronous=FULL")
        run("PRAGMA wal_autocheckpoint=0")  # a failed sync must be seen, so `checkpoint` does it
        if mode != "wal":
            raise StoreError(f"{self.path}: SQLite has no write-ahead log here, but {mode!r}.")
        found = run("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreError(f"{self.path}: the log is damaged ({found:.100}). {MEND}")
        # A commit whose sync had failed may be in the system's cache alone, and look whole: what
        # is in the write-ahead log is written again and synced before anything builds on it.
        run("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self.db.executescript(TABLES)
        self.begin()
        if self.get("format", FORMAT) != FORMAT:
            raise StoreError(f"{self.path}: the log has format {self.get('format')!r:.20}.")
        self.put("format", FORMAT)
        self.commit()

    def refuse(self, error: sqlite3.DatabaseError) -> None:
        """Say what is wrong with a file that cannot be opened."""
        if "locked" in str(error):
            if mine.get(os.path.realpath(self.path)) == os.getpid():  # a fork has its parent's
                raise StoreError(
                    f"{self.path}: this process has opened this store before; close it first, or "
                    f"use the model that there is."
                ) from None
            raise StoreError(f"{self.path}: another process uses this store.") from None
        raise StoreError(f"{self.path}: the log cannot be opened: {error}. {MEND}") from None

    def begin(self) -> None:
        """Begin a transaction."""
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End it; it is on the disk when this returns."""
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        """Take it back, if there is one."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def checkpoint(self, always: bool = False) -> None:
        """Move what was committed into the database, once there is enough of it."""
        if always or (self.wal.exists() and os.path.getsize(self.wal) > CHECKPOINT):
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def get(self, key: str, default: Any = None) -> Any:
        """A fact about the model."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else row[0]

    def put(self, key: str, value: Any) -> None:
        """Note a fact about the model."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def known(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids that were learned before."""
        found: set[str] = set()
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            rows = self.db.execute(f"SELECT id FROM ids WHERE id IN ({marks})", some)
            found.update(row[0] for row in rows)
        return found

    def append(self, first: int, examples: list[Example]) -> None:
        """Add a record whose examples are not known yet."""
        last = first + len(examples) - 1
        body = encode(examples)
        self.db.execute(
            "INSERT INTO log VALUES (?, ?, ?, ?)", (first, last, zlib.crc32(body), body)
        )
        ids = [(first + i, e.id) for i, e in enumerate(examples) if e.id is not None]
        if ids:
            self.db.executemany("INSERT INTO ids VALUES (?, ?)", ids)
        spoken: dict[str, int] = {}
        for i, example in enumerate(examples):
            if example.source is not None:
                spoken.setdefault(example.source, first + i)
        if spoken:
            self.db.executemany(
                "INSERT INTO sources VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET last = excluded.last",
                [(source, begin, last) for source, begin in spoken.items()],
            )

    def records(self, after: int = 0) -> Iterator[tuple[int, list[Example | None]]]:
        """First number and examples of each record that has examples after a number."""
        while True:  # one statement for each, so that records can be changed meanwhile
            row = self.db.execute(
                "SELECT first, last, sum, body FROM log WHERE last > ? ORDER BY first LIMIT 1",
                (after,),
            ).fetchone()
            if row is None:
                return
            first, last, wanted, body = row
            try:
                if zlib.crc32(body) != wanted:
                    raise ValueError("its sum does not fit")
                examples = decode(body)
                if len(examples) != last - first + 1:
                    raise ValueError("it has another length")
            except (ValueError, TypeError) as error:
                raise StoreError(
                    f"{self.path}: record {first:,} is damaged: {error}. {MEND}"
                ) from None
            yield first, examples
            after = last

    def replace(self, first: int, examples: list[Example | None]) -> None:
        """Change a record; without examples it is removed."""
        if any(examples):
            body = encode(examples)
            self.db.execute(
                "UPDATE log SET sum = ?, body = ? WHERE first = ?", (zlib.crc32(body), body, first)
            )
        else:
            self.db.execute("DELETE FROM log WHERE first = ?", (first,))

    def take_out(self, first: int, examples: list[Example | None], rows: Sequence[int]) -> None:
        """Remove single examples of a record; they may be sent again."""
        gone = set(rows)
        left = [None if row in gone else e for row, e in enumerate(examples)]
        self.replace(first, left)
        self.db.executemany("DELETE FROM ids WHERE seq = ?", [(first + row,) for row in rows])

    def cut(self, to_seq: int) -> None:
        """Remove every example after a number; they may be sent again."""
        for first, examples in list(self.records(to_seq)):
            self.replace(first, [*examples[: max(0, to_seq + 1 - first)]])
            if first <= to_seq:
                self.db.execute("UPDATE log SET last = ? WHERE first = ?", (to_seq, first))
        self.db.execute("DELETE FROM ids WHERE seq > ?", (to_seq,))
        self.db.execute("DELETE FROM sources WHERE first > ?", (to_seq,))

    def exclude(self, source: str) -> int:
        """Remove every example of a source. Their ids stay known: they are not learned again."""
        taken = 0
        row = self.db.execute("SELECT first FROM sources WHERE source = ?", (source,)).fetchone()
        for first, examples in self.records((row[0] if row else 1) - 1):
            left = [None if e is not None and e.source == source else e for e in examples]
            gone = sum(a is not b for a, b in zip(examples, left, strict=True))
            if gone:
                self.replace(first, left)
                taken += gone
        self.db.execute("DELETE FROM sources WHERE source = ?", (source,))
        return taken

    def first_of(self, source: str) -> int | None:
        """The number of the first example of a source."""
        row = self.db.execute("SELECT first FROM sources WHERE source = ?", (source,)).fetchone()
        return None if row is None else row[0]

    def rewrite(self, after: int, what: str) -> int:
        """Note that history after a number is another one; the new epoch."""
        epoch = self.epoch() + 1
        self.db.execute("INSERT INTO rewrites VALUES (?, ?, ?)", (epoch, after, what))
        return epoch

    def epoch(self) -> int:
        """How often history was rewritten."""
        return self.db.execute("SELECT coalesce(max(epoch), 0) FROM rewrites").fetchone()[0]

    def holds(self, epoch: int, seq: int) -> bool:
        """Say whether a state of this epoch and number is still part of history."""
        row = self.db.execute(
            "SELECT 1 FROM rewrites WHERE epoch > ? AND after < ?", (epoch, seq)
        ).fetchone()
        return row is None

    def forget(self, records_to: int, ids_to: int) -> None:
        """Remove old records and ids."""
        kept = max(self.get("complete_from", 1), records_to + 1)
        if self.db.execute("DELETE FROM log WHERE last <= ?", (records_to,)).rowcount:
            self.put("complete_from", kept)
            self.db.execute("DELETE FROM sources WHERE last <= ?", (records_to,))
        self.db.execute("DELETE FROM ids WHERE seq <= ?", (ids_to,))

    def close(self) -> None:
        """Checkpoint and close.

        After a failed sync, too: what is checkpointed then are earlier commits, which were synced,
        and a checkpoint writes its pages again before it syncs them.
        """
        with contextlib.suppress(sqlite3.Error):
            self.db.close()
        mine.pop(os.path.realpath(self.path), None)


def sync_folder(folder: Path) -> None:
    """Make names that were given in a folder survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


MEND = "Put back a copy of the folder, or delete the model."
