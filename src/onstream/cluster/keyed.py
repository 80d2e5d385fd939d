"""One model per key: a device, a user, a shop. Keys are spread over workers by their hash."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ..base.blocks import count_rows, cut_part, take_part
from ..base.checks import whole
from ..base.learner import Learner
from ..core.data_warning import held_back, warn_of_data
from ..persist.format import dumps, loads
from .engine import WorkerLost
from .key_store import StoreError, check_snapshot
from .keyed_worker import Call, Outcome, pool_of
from .keys import key_text, key_value, owners, split_key
from .known_rows import BLOCK, Part, Place, compared, in_memory, parts_in_memory, recognised
from .shards import Shard, find_shards

PATIENCE = 5  # times that a worker is lost in a row
AGAIN = "Rows that are meant to come once more can be given to learn_many."


@dataclass(frozen=True)
class KeyFigures:
    """How many models there are, and what they take."""

    keys: int
    in_memory: int
    memory_bytes: int  # of the models in memory
    on_disk: int
    disk_bytes: int
    evicted: int  # times that a cold model left memory

    @property
    def memory_per_key(self) -> float:
        """Bytes of a model in memory."""
        return self.memory_bytes / max(1, self.in_memory)

    @property
    def disk_per_key(self) -> float:
        """Bytes of a model on disk."""
        return self.disk_bytes / max(1, self.on_disk)


class Origin(NamedTuple):
    """Where rows come from."""

    where: str  # for messages
    source: str  # as workers know it
    place: Place  # after the rows
    behind: list[int]  # workers that do not have them yet


class KeyedModels:
    """A model for each value of a key column, on one machine or on a Ray cluster.

    A model is made when its key first comes, and learns the rows of its key in their order. Every
    `snapshot_every` rows all workers write their models and the place in the source; a worker that
    is lost goes on from there, and so does a program that is started again with the same `folder`.
    Rows are learned once, whatever happens between.

    Parameters
    ----------
    model : learner
        What a new key begins with; it has not learned anything.
    key : str
        The column with the key: text, int or bool; a float without a fraction is an int.
    engine : "ray" or "local", default "local"
        Where the workers are. On Spark see `onstream.cluster.spark_keyed.keyed_stream`.
    workers : int > 0, default 2
        How many; a key belongs to one of them by its hash, so the number cannot change later.
    folder : path, optional
        For snapshots and cold models; on a cluster, one that all nodes share. Without it, models
        end with the program, and a worker that is lost is an error.
    in_memory : int > 0, default 100_000
        Models that a worker holds in memory; those whose keys did not come for longest are on
        disk.
    snapshot_every : int > 0, default 100_000
        Rows from one snapshot to the next. Fewer cost time, more are learned again after a loss.

    Examples
    --------
    >>> from onstream import LogisticRegression
    >>> with KeyedModels(LogisticRegression(), key="shop") as models:
    ...     models.learn_many([{"shop": "a", "x": 1}, {"shop": "b", "x": 1}], [True, False])
    ...     models.predict_many([{"shop": "b", "x": 1}, {"shop": "c", "x": 1}])
    array([False, None], dtype=object)
    """

    def __init__(
        self,
        model: Any,
        key: str,
        *,
        engine: str = "local",
        workers: int = 2,
        folder: str | os.PathLike[str] | None = None,
        in_memory: int = 100_000,
        snapshot_every: int = 100_000,
    ) -> None:
        if not isinstance(model, Learner):
            raise TypeError(f"KeyedModels: model must be a learner, got {type(model).__name__}.")
        if model.seen:
            raise ValueError(
                f"KeyedModels: the model has already learned {model.seen:,} examples, which every "
                f"key would begin with; give a clone() of it."
            )
        self.key = key
        self.workers = whole(self, "workers", workers, least=1)
        self.snapshot_every = whole(self, "snapshot_every", snapshot_every, least=1)
        whole(self, "in_memory", in_memory, least=1)
        self.template = model.clone()
        self.folder = None if folder is None else Path(folder)
        self._check_folder()
        self.pool = pool_of(engine, self._paths(), dumps(self.template), in_memory, key)
        self.closed = False
        self.unsaved: list[list[Call]] = [[] for _ in range(self.workers)]
        progress = [self.pool.ask(k, "progress") for k in range(self.workers)]
        self.sequence: int = max(sequence for sequence, _ in progress)  # of the last call
        self.old_sources: set[str] = set().union(*(sources for _, sources in progress))
        self.rows = 0  # since the last snapshot
        self.forgotten = False  # were calls let go of, as a snapshot has what they taught?
        self.unfinished: list[int] | None = None  # calls in `unsaved` before one was broken off

    def _paths(self) -> list[str]:
        names = [f"worker-{k}-of-{self.workers}.sqlite" for k in range(self.workers)]
        return [str(self.folder / name) if self.folder else "" for name in names]

    def _check_folder(self) -> None:
        """Refuse models that were spread over another number of workers."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        mine = {os.path.basename(path) for path in self._paths()}
        for file in sorted(self.folder.glob("worker-*-of-*.sqlite")):
            if file.name not in mine:
                number = file.stem.rpartition("-")[2]
                raise ValueError(
                    f"KeyedModels: the models in {str(self.folder)!r} are spread over {number} "
                    f"workers; say workers={number}."
                )
        for path in self._paths():
            check_snapshot(path, self.template, self.key)

    # -- learning

    def learn_many(self, X: Any, y: Any = None, w: Any = None) -> None:
        """Learn rows: a frame or a list of dicts, each with its key.

        If one of them cannot be learned, all models stay as they were.
        """
        self._learn_block(X, y, w)

    def predict_learn_many(self, X: Any, y: Any, w: Any = None) -> Any:
        """Test, then train: what the model of its key predicted for each row before it learned it.

        If one of the rows cannot be learned, all models stay as they were.
        """
        self._check_verb("predict_learn_many")
        return self._answers(self._learn_block(X, y, w, asked=True))

    def _learn_block(self, X: Any, y: Any, w: Any, asked: bool = False) -> Any:
        """Learn rows that are handed over; what was predicted for them, if that is asked."""
        self._check_open()
        rows = count_rows(X) or 0
        for name, part in (("y", y), ("w", w)):
            if part is not None and count_rows(part) != rows:
                raise ValueError(
                    f"KeyedModels: X has {rows} rows, {name} has {count_rows(part) or 'none'}."
                )
        X, keys = split_key(self.key, X)
        answers: Any = np.empty(rows, dtype=object)
        with self._as_a_whole(rows):
            for start in range(0, rows, BLOCK):
                parts = [cut_part(part, start, start + BLOCK) for part in (keys, X, y, w)]
                answers[start : start + BLOCK] = self._learn(start, parts, asked=asked)
        return answers

    def learn(self, shards: Any, **reading: Any) -> int:
        """Learn files, patterns or streams, with the options of their readers: target="won".

        Returns how many rows were learned: those that were not learned before, by this program or,
        with a `folder`, by an earlier one. A file that has grown gives its new rows; one that does
        not begin with the rows that were learned is an error. If there are no new rows at all, a
        `DataWarning` says so.

        A file is known by its path, a stream or a function by its first row. It is read from the
        start each time, to compare what was learned. A block or a frame is learned as a whole, or
        left out with a `DataWarning` if all its rows are those of one that was learned.
        """
        self._check_open()
        learned, known, left = 0, {}, {}
        for shard in found_shards(shards, reading):
            new, old = self._learn_shard(shard)
            learned += new
            if old:
                known[shard.name] = old
            if old and not new and in_memory(shard):
                left[shard.name] = old
        self.snapshot()
        if known and not learned:
            warn_of_data(
                f"KeyedModels: nothing was learned, as all {of_shards(known)} have been learned "
                f"before. {AGAIN}"
            )
        elif left:
            warn_of_data(
                f"KeyedModels: left out were {of_shards(left)}, as they have been learned before. "
                f"{AGAIN}"
            )
        return learned

    def _learn_shard(self, shard: Shard) -> tuple[int, int]:
        """Learn the new rows of a shard; return how many they are, and how many were known."""
        groups: Iterable[list[Part]]  # each is learned as a whole
        if in_memory(shard):
            source, parts = parts_in_memory(shard, self.key)
            places = self._places(shard.name, source)
            groups = [parts]
        else:
            source, blocks = recognised(shard, self.key)
            places = self._places(shard.name, source)
            most = max(rows for rows, _ in places)
            if min(rows for rows, _ in places) < most:
                # some were stopped before their snapshot: compare before they learn
                for part in compared(shard.name, shard.blocks(), self.key, places):
                    if part.place[0] >= most:
                        break
            groups = ([part] for part in compared(shard.name, blocks, self.key, places))
        learned = rows = 0
        for group in groups:
            size = sum(len(part.keys) for part in group)
            with self._as_a_whole(size):
                learned += sum(self._learn_part(shard.name, source, part, places) for part in group)
            rows += size
        return learned, rows - learned

    def _places(self, name: str, source: str) -> list[Place]:
        """How far each worker has learned a source."""
        if {name, source} & {*self.old_sources, *map(os.path.realpath, self.old_sources)}:
            raise ValueError(
                f"KeyedModels: {name}: an earlier version of onstream has learned it, and noted no "
                f"more than that. Give new rows in a file of another name, or to learn_many."
            )
        return [self._ask(k, "place", source) for k in range(self.workers)]

    def _learn_part(self, name: str, source: str, part: Part, places: list[Place]) -> int:
        """Learn rows of a source by the workers that do not have them; return how many."""
        behind = [k for k in range(self.workers) if places[k][0] <= part.first]
        if behind:
            of = Origin(f"{name}: ", source, part.place, behind)
            self._learn(part.first, (part.keys, part.X, part.y, part.w), of)
        return int(np.isin(owners(part.keys, self.workers), behind).sum())

    @contextmanager
    def _as_a_whole(self, rows: int) -> Iterator[None]:
        """Let rows be learned all or none; no snapshot is made before they are.

        If they are refused, or it is broken off, the next one who uses the models goes back.
        """
        self._break_off()
        try:
            yield
        except StoreError as error:
            raise StoreError(f"{error} These {rows:,} rows were not learned.") from error
        self.unfinished = None
        self.rows += rows
        if self.rows >= self.snapshot_every:
            self.snapshot()

    def _break_off(self) -> None:
        """Let the next use go back, and learn again what has been learned up to here."""
        self.unfinished = [len(calls) for calls in self.unsaved]

    def _learn(self, start: int, parts: Any, of: Origin | None = None, asked: bool = False) -> Any:
        """Hand rows (keys, X, y, w) to the workers of their keys; `start`: the first one's number.

        Those of a source go to workers that do not have them yet, and every one of these is told
        how far the source is learned. Returns what was predicted, None where nothing was asked.
        """
        owner = owners(parts[0], self.workers)
        answers: Any = np.empty(len(owner), dtype=object)
        self.sequence += 1
        sent = []
        for k in range(self.workers) if of is None else of.behind:
            rows = np.flatnonzero(owner == k)
            if len(rows) or of:
                own = [take_part(part, rows) for part in parts]
                progress = (of.source, of.place) if of else ()
                call = (self.sequence, rows + start, own, asked, *progress)
                self.unsaved[k].append(call)
                sent.append((k, rows, self._send(k, call)))
        refusals = []
        for k, rows, handle in sent:  # they work at the same time
            refused, answers[rows] = self._outcome(k, handle)
            if refused:
                refusals.append(refused)
        if refusals:
            raise ValueError(f"KeyedModels: {of.where if of else ''}{min(refusals)[1]}")
        return answers

    def _take_up(self) -> None:
        """Go back to before rows that were refused or broken off."""
        if self.unfinished is None:
            return
        for k, kept in enumerate(self.unfinished):
            del self.unsaved[k][kept:]
            self._go_back(k)
        self.unfinished = None
        if any(self.unsaved):  # so that they are not learned again each time that a row is refused
            self._write()

    def _go_back(self, worker: int) -> None:
        """Let a worker forget all since its snapshot but for the calls that are kept."""
        try:
            self.pool.ask(worker, "go_back")
            with held_back():  # warnings have been given
                for call in self.unsaved[worker]:
                    self.pool.learn(worker, call)
        except WorkerLost as reason:
            self._recover(worker, reason)

    def _send(self, worker: int, call: Call) -> Any:
        try:
            return self.pool.send(worker, call)
        except WorkerLost as reason:
            return reason

    def _outcome(self, worker: int, handle: Any) -> Outcome:
        """What came of a call."""
        try:
            if isinstance(handle, WorkerLost):
                raise handle
            outcome: Outcome = self.pool.outcome(handle)
            return outcome
        except WorkerLost as reason:
            return self._recover(worker, reason)

    def _recover(self, worker: int, reason: WorkerLost) -> Outcome:
        """Begin again from the snapshot of a lost worker, with the calls since."""
        if self.folder is None and self.forgotten:
            raise RuntimeError(
                f"KeyedModels: worker {worker} was lost, and its models with it ({reason!s:.200}); "
                f"with a folder it would go on from its snapshot."
            ) from reason
        for _ in range(PATIENCE):
            try:
                self.pool.restart(worker)
                outcomes = [self.pool.learn(worker, call) for call in self.unsaved[worker]]
                return outcomes[-1] if outcomes else (None, None)
            except WorkerLost as again:
                reason = again
        raise RuntimeError(
            f"KeyedModels: worker {worker} was lost {PATIENCE} times; the last time: "
            f"{reason!s:.300}"
        ) from reason

    def snapshot(self) -> None:
        """Write all models that have changed, and how far the sources are learned."""
        self._check_open()
        try:
            self._write()
        except StoreError as error:
            raise StoreError(
                f"{error} All rows that were given are learned, and wait in memory for snapshot()."
            ) from error

    def _write(self) -> None:
        try:
            for k in range(self.workers):
                self._write_one(k)
        except BaseException:
            self._break_off()
            raise
        self.rows = 0

    def _write_one(self, worker: int) -> None:
        try:
            self.pool.snapshot(worker)
        except WorkerLost as reason:
            self._recover(worker, reason)
            self.pool.snapshot(worker)
        self.forgotten |= bool(self.unsaved[worker])
        self.unsaved[worker].clear()

    # -- using the models

    def predict_many(self, X: Any) -> Any:
        """What the model of each row's key predicts; of an unknown key, what a new model does."""
        X, keys = split_key(self.key, X)
        owner = owners(keys, self.workers)
        out: Any = np.empty(len(keys), dtype=object)
        for k in range(self.workers):
            rows = np.flatnonzero(owner == k)
            if len(rows):
                out[rows] = self._ask(k, "predict", [keys[i] for i in rows], take_part(X, rows))
        return self._answers(out)

    def _answers(self, found: Any) -> Any:
        """Predictions as those of one learner would be: of numbers, floats."""
        return found if self.template.target_kind != "numbers" else found.astype(np.float64)

    @property
    def labels(self) -> list[Any]:
        """The labels that were declared: the columns of `predict_proba_many` and `score_many`."""
        return list(getattr(self.template, "labels", ()))

    def predict_proba_many(self, X: Any) -> Any:
        """Probabilities of each row by the model of its key, in the order of `labels`.

        Each key would have an order of its own, so labels must be declared:
        `LogisticRegression(labels=["no", "yes"])`.
        """
        return self._scores("predict_proba_many", X)

    def score_many(self, X: Any) -> Any:
        """Decision values of each row, in the shape that the model has; labels as above."""
        return self._scores("score_many", X)

    def _scores(self, verb: str, X: Any) -> Any:
        self._check_verb(verb)
        if hasattr(self.template, "labels") and not self.labels:
            raise ValueError(
                f"KeyedModels: {verb} needs labels in an order that all keys share; declare them "
                f"when the model is made (labels=[...])."
            )
        X, keys = split_key(self.key, X)
        owner = owners(keys, self.workers)
        out: Any = None
        for k in range(self.workers):
            rows = np.flatnonzero(owner == k)
            if len(rows):
                found = self._ask(k, "scores", verb, take_part(keys, rows), take_part(X, rows))
                if isinstance(found, tuple):
                    key, labels = found
                    raise ValueError(
                        f"KeyedModels: the model of key {key_value(key)!r:.60} has met labels that "
                        f"were not declared: it knows {labels!r:.200}, declared were "
                        f"{self.labels!r:.200}. {verb} needs the same of all keys."
                    )
                if out is None:
                    out = np.empty((len(keys), *found.shape[1:]))
                out[rows] = found
        return getattr(self.template, verb)([]) if out is None else out

    def _check_verb(self, verb: str) -> None:
        if not hasattr(self.template, verb):
            raise TypeError(f"KeyedModels: {type(self.template).__name__} has no {verb}.")

    def model(self, key: Any) -> Any:
        """A copy of the model of this key; None if it never came."""
        text = key_text(key)
        data = self._ask(int(owners([text], self.workers)[0]), "state", text)
        return None if data is None else loads(data)

    def keys(self) -> Iterator[Any]:
        """All keys that came."""
        for k in range(self.workers):
            yield from map(key_value, self._ask(k, "keys"))

    def figures(self) -> KeyFigures:
        """How many models there are, and their bytes, over all workers."""
        each = [self._ask(k, "figures") for k in range(self.workers)]
        return KeyFigures(**{name: sum(one[name] for one in each) for name in each[0]})

    def _ask(self, worker: int, verb: str, *given: Any) -> Any:
        self._check_open()
        try:
            return self.pool.ask(worker, verb, *given)
        except WorkerLost as reason:
            self._recover(worker, reason)
            return self.pool.ask(worker, verb, *given)
        except StoreError:
            self._break_off()
            raise

    def close(self) -> None:
        """Write a last snapshot, if there is a folder, and let the workers go."""
        if self.closed:
            return
        try:
            if self.folder is not None:
                self.snapshot()
        finally:
            self._leave()

    def _leave(self) -> None:
        self.closed = True
        self.pool.close()

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("KeyedModels: it is closed; make another one with the same folder.")
        self._take_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *error: object) -> None:
        if kind is None:
            self.close()
        elif not self.closed:  # as after a crash: the last snapshot counts
            self._leave()


def found_shards(shards: Any, reading: dict[str, Any]) -> list[Shard]:
    """The shards; what is wrong with them is said in our name."""
    try:
        return list(find_shards(shards, reading))
    except (ValueError, TypeError, OSError) as error:
        text = str(error).replace("train:", "KeyedModels:", 1)
        raise type(error)(text) from None


def of_shards(known: dict[str, int]) -> str:
    """How many rows of which shards."""
    others = f" and {len(known) - 1:,} more" if len(known) > 1 else ""
    return f"{sum(known.values()):,} rows of {next(iter(known))}{others}"
