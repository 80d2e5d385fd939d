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
from .known_rows import Place

TABLES = """
CREATE TABLE IF NOT EXISTS models (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS places (
    source TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
CALLS = "learn_many"  # the only row of `sources`; files had rows there, before there were `places`
PATIENCE = 2.0  # seconds that a file of another program is waited for


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
        self.template, self.in_memory = loads(template), in_memory
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.file = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=30.0
        )  # until a worker that was lost has let go of it
        self.file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.file.executescript(f"BEGIN EXCLUSIVE; {TABLES} COMMIT;")
        about = list(described(self.template, column).items())
        self.file.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about)
        self.models: OrderedDict[str, Any] = OrderedDict()  # the least recently used first
        self.changed: set[str] = set()
        self.touched: set[str] = set()  # changed since the last snapshot, in memory or not
        self.unwritten: set[str] = set()  # keys that the file does not have yet
        self._read_progress()
        self.evicted = 0
        self.file.execute("BEGIN")

    def _read_progress(self) -> None:
        """Take from the file which call was the last, and how far each source is learned."""
        sources = dict(self.file.execute("SELECT name, sequence FROM sources"))
        self.sequence: int = sources.pop(CALLS, -1)
        self.old_sources = set(sources)
        found = self.file.execute("SELECT source, rows, digest FROM places")
        self.places: dict[str, Place] = {source: (rows, digest) for source, rows, digest in found}
        self.moved: set[str] = set()  # sources that were learned since

    def learned(self, sequence: int, source: str | None, place: Place) -> None:
        """Note a call, and how far it has come in its source, if it has one."""
        self.sequence = sequence
        if source is not None:
            self.places[source] = place
            self.moved.add(source)

    def get(self, key: str) -> Any:
        """The model of a key, or None."""
        if (model := self.models.get(key)) is not None:
            self.models.move_to_end(key)
            return model
        row = self.file.execute("SELECT data FROM models WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        return self._hold(key, loads(row[0]))

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
        self.file.execute("INSERT OR REPLACE INTO models VALUES (?, ?)", (key, dumps(model)))
        self.unwritten.discard(key)

    def snapshot(self) -> None:
        """Write what has changed, all or nothing."""
        for key in sorted(self.changed):
            self._write(key, self.models[key])
        self.changed.clear()
        self.touched.clear()
        self.file.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (CALLS, self.sequence))
        rows = [(source, *self.places[source]) for source in sorted(self.moved)]
        self.file.executemany("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", rows)
        self.moved.clear()
        self.file.execute("COMMIT")
        self.file.execute("BEGIN")

    def go_back(self) -> None:
        """Be as at the last snapshot."""
        self.file.execute("ROLLBACK")
        self.file.execute("BEGIN")
        for key in self.touched:
            self.models.pop(key, None)
        for keys in (self.touched, self.changed, self.unwritten):
            keys.clear()
        self._read_progress()

    def keys(self) -> Iterator[str]:
        """All keys."""
        written = {key for (key,) in self.file.execute("SELECT key FROM models")}
        return iter(sorted(written | set(self.models)))

    def figures(self) -> dict[str, int]:
        """Keys, and bytes in memory and on disk."""
        count, size = self.file.execute(
            "SELECT count(*), coalesce(sum(length(data) + length(key)), 0) FROM models"
        ).fetchone()
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
        self.file.execute("ROLLBACK")
        self.file.close()


def described(template: Any, column: str) -> dict[str, str]:
    """What a file says of itself."""
    return {"model": repr(template), "key": repr(column)}


def check_snapshot(path: str, template: Any, column: str) -> None:
    """Refuse a file that is of other models, is damaged, or in use."""
    if not Path(path).is_file():
        return
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as file:
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
