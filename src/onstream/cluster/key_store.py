"""The models of one worker, by key: the hot ones in memory, the cold ones in a SQLite file.

A snapshot is one transaction: all models that have changed, which call was the last, and how far
each source is learned. Models that leave memory before are written in the transaction that the next
snapshot ends, so a worker that is lost is back at its last snapshot, models and sources alike.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ..persist.format import dumps, loads
from .known_rows import WHOLE, Place

TABLES = """
CREATE TABLE IF NOT EXISTS models (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS places (
    source TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
NAMES_OF_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
CALLS = "learn_many"  # the only row of `sources`; files had rows there, before there were `places`
BLOCKS = 10_000  # that were in memory and are known again: the last ones
PATIENCE = 2.0  # seconds that a file of another program is waited for


class StoreError(OSError):
    """The file of a worker cannot be read or written now, as on a full disk."""


class KeyStore:
    """Key to model; keys are texts (see `key_text`).

    Parameters
    ----------
    template : bytes
        A model that has learned nothing: what a new key begins with.
    path : str
        The file; "" is one that vanishes with the process.
    in_memory : int
        Models held in memory; others are read from the file when their key comes again.
    column : str, default ""
        Where keys come from, noted in the file.
    """

    def __init__(self, template: bytes, path: str, in_memory: int, column: str = "") -> None:
        self.template, self.in_memory, self.path = loads(template), in_memory, path
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.file = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=30.0
        )  # until a worker that was lost has let go of it
        try:
            self._begin(column)
        except BaseException:
            self.file.close()
            raise
        self.models: OrderedDict[str, Any] = OrderedDict()  # the least recently used first
        self.changed: set[str] = set()
        self.touched: set[str] = set()  # changed since the last snapshot, in memory or not
        self.unwritten: set[str] = set()  # keys that the file does not have yet
        self.evicted = 0

    def _begin(self, column: str) -> None:
        """Be the only one who uses the file, and read what it says."""
        self._run("PRAGMA locking_mode = EXCLUSIVE")
        for statement in ("BEGIN EXCLUSIVE", *TABLES.split(";")[:-1], "COMMIT"):
            self._run(statement)
        for about in described(self.template, column).items():
            self._run("INSERT OR REPLACE INTO about VALUES (?, ?)", about)
        self._read_progress()
        self._run("BEGIN")

    def _run(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """What a statement gives. If one fails, SQLite may have rolled back: then `go_back`."""
        try:
            return self.file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(
                f"KeyedModels: {self.path or 'the temporary file'!r} cannot be read or written: "
                f"{error}. Its disk must have room, and no other program may use it."
            ) from error

    def _read_progress(self) -> None:
        """Take from the file which call was the last, and how far each source is learned."""
        sources = dict(self._run("SELECT name, sequence FROM sources"))
        self.sequence: int = sources.pop(CALLS, -1)
        self.old_sources = set(sources)
        found = self._run("SELECT source, rows, digest FROM places ORDER BY rowid")
        self.places: dict[str, Place] = {source: (rows, digest) for source, rows, digest in found}
        self.moved: dict[str, None] = {}  # sources that were learned since, in their order

    def learned(self, sequence: int, source: str | None, place: Place) -> None:
        """Note a call, and how far it has come in its source, if it has one."""
        self.sequence = sequence
        if source is not None:
            self.places.pop(source, None)  # the latest is the last
            self.moved.pop(source, None)
            self.places[source], self.moved[source] = place, None

    def get(self, key: str) -> Any:
        """The model of a key, or None."""
        if (model := self.models.get(key)) is not None:
            self.models.move_to_end(key)
            return model
        found = self._run("SELECT data FROM models WHERE key = ?", (key,))
        return self._hold(key, loads(found[0][0])) if found else None

    def get_or_new(self, key: str) -> Any:
        """The model of a key, a new one if there is none; it is going to change."""
        model = self.get(key)
        self.touched.add(key)
        if model is None:
            self.unwritten.add(key)
            self.changed.add(key)
            return self._hold(key, self.template.clone())
        self.changed.add(key)
        return model

    def _hold(self, key: str, model: Any) -> Any:
        """Keep a model in memory; the one that was unused for longest leaves it."""
        self.models[key] = model
        while len(self.models) > self.in_memory:
            cold, left = self.models.popitem(last=False)
            self.evicted += 1
            if cold in self.changed:
                self._write(cold, left)
                self.changed.discard(cold)
        return model

    def _write(self, key: str, model: Any) -> None:
        self._run("INSERT OR REPLACE INTO models VALUES (?, ?)", (key, dumps(model)))
        self.unwritten.discard(key)

    def snapshot(self) -> None:
        """Write what has changed, all or nothing."""
        for key in sorted(self.changed):
            self._write(key, self.models[key])
        self._run("INSERT OR REPLACE INTO sources VALUES (?, ?)", (CALLS, self.sequence))
        for source in self.moved:
            place = (source, *self.places[source])
            self._run("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", place)
        blocks = [source for source in self.places if source.startswith(WHOLE)]
        for source in blocks[:-BLOCKS]:
            self._run("DELETE FROM places WHERE source = ?", (source,))
            del self.places[source]
        self._run("COMMIT")
        self._run("BEGIN")
        for written in (self.changed, self.touched, self.moved):  # now, as it may have failed
            written.clear()

    def go_back(self) -> None:
        """Be as at the last snapshot."""
        if self.file.in_transaction:  # SQLite rolls back itself where the disk is full
            self._run("ROLLBACK")
        self._run("BEGIN")
        for key in self.touched:
            self.models.pop(key, None)
        for keys in (self.touched, self.changed, self.unwritten):
            keys.clear()
        self._read_progress()

    def keys(self) -> Iterator[str]:
        """All keys."""
        written = {key for (key,) in self._run("SELECT key FROM models")}
        return iter(sorted(written | set(self.models)))

    def figures(self) -> dict[str, int]:
        """Keys, and bytes in memory and on disk."""
        ((count, size),) = self._run(
            "SELECT count(*), coalesce(sum(length(data) + length(key)), 0) FROM models"
        )
        return {
            "keys": count + len(self.unwritten),
            "in_memory": len(self.models),
            "memory_bytes": sum(model.memory_bytes for model in self.models.values()),
            "on_disk": count,
            "disk_bytes": size,
            "evicted": self.evicted,
        }

    def close(self) -> None:
        """Let go of the file; what came after the last snapshot is gone."""
        self.file.close()  # which rolls back


def described(template: Any, column: str) -> dict[str, str]:
    """What a file says of itself."""
    return {"model": repr(template), "key": repr(column)}


def check_snapshot(path: str, template: Any, column: str) -> None:
    """Refuse a file that is of other models, is damaged, or in use."""
    if not Path(path).is_file():
        return
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as file:
            tables = {name for (name,) in file.execute(NAMES_OF_TABLES)}
            if tables <= {"models", "sources", "places"}:  # it was killed while it made the tables
                return
            found = dict(file.execute("SELECT name, value FROM about"))
    except sqlite3.DatabaseError as error:
        reason = "another program uses it" if "locked" in str(error) else str(error)
        raise ValueError(f"KeyedModels: {path!r} cannot be used: {reason}.") from None
    for name, value in described(template, column).items():
        if found.get(name, value) != value:
            raise ValueError(
                f"KeyedModels: the {name} of the snapshots in {str(Path(path).parent)!r} is "
                f"{found[name]:.200}, not {value:.200}; name another folder."
            )
