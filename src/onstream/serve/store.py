"""A learner that keeps what it was taught: logged, then acknowledged; replayed after a crash.

validate, de-duplicate by id, append to the log, commit (synced), apply in the order of the log,
acknowledge. Restart is the newest whole snapshot and the log after it, which gives the same bits:
nothing that decides what is learned reads a clock or draws a random number of its own.
"""

import contextlib
import hashlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from os import PathLike
from pathlib import Path
from typing import Any, Self

import msgspec

from ..persist import ModelFileError, dumps
from .example import Example, Refused, check_examples, coerce_example, make_example
from .log import Log, StoreError
from .snapshots import Snapshots

GROUP = 64  # requests that one sync commits, at most
SLICE = 0.0005  # seconds for which learning may keep a prediction waiting, about
QUEUE = 1024  # requests that may wait
REFUSALS = (ValueError, TypeError, OverflowError)
OF_DISK = (sqlite3.Error, OSError)


class StoreStopped(StoreError):
    """The disk failed (or the store was closed): nothing more is acknowledged; open it again."""


class StoreFull(StoreError):
    """There is no room: on the disk, or in the queue. Nothing was kept of this request."""


class Receipt(msgspec.Struct):
    """What became of the examples of one request. It is given when they are on the disk."""

    first_seq: int | None
    last_seq: int | None
    learned: int
    duplicates: int
    rejected: list[dict[str, str]] = msgspec.field(default_factory=list)


class Request:
    """Examples that wait for the writer, or something else to be done between two of them."""

    __slots__ = ("duplicates", "examples", "first", "future", "rows", "work")

    def __init__(self, examples: list[Example], work: Callable[[], Any] | None = None) -> None:
        self.examples, self.work = examples, work
        self.future: Future[Any] = Future()
        self.first, self.duplicates = 0, 0
        self.rows: list[int] = []  # where the examples stood that are no duplicates


class DurableModel:
    """A learner in a folder: `learn` returns when the example would survive a power cut.

    Parameters
    ----------
    path : str or Path
        The folder; it is made if it is not there. One process can have it open.
    learner : a learner or None
        What begins here if the folder is new. Of a folder that has a model it may be left out;
        if given, its parameters must be those of the model.
    snapshot_every, snapshot_seconds : int and float, default 100_000 and 300.0
        A snapshot is written after so many examples, or so many seconds if anything was learned.
        More often makes a restart quicker.
    window : int, default 1_000_000
        The last so many examples stay in the log, and their ids are known, so that they are not
        learned twice and can be taken out by `replay`.

    Examples
    --------
    >>> import tempfile
    >>> from onstream import PAClassifier
    >>> from onstream.serve.store import DurableModel
    >>> folder = tempfile.mkdtemp()
    >>> with DurableModel(folder, PAClassifier()) as model:
    ...     model.learn_one({"free": 1}, "spam", id="message 1").learned
    ...     model.learn_one({"free": 1}, "spam", id="message 1").duplicates
    1
    1
    >>> with DurableModel(folder) as model:
    ...     model.seen, model.predict_one({"free": 1})
    (1, 'spam')
    """

    def __init__(
        self,
        path: str | PathLike[str],
        learner: Any = None,
        *,
        snapshot_every: int = 100_000,
        snapshot_seconds: float = 300.0,
        window: int = 1_000_000,
        progress: Callable[[int, int], None] | None = None,
        watch: Callable[[list[Example], Any], None] | None = None,
    ) -> None:
        self.path = Path(path)
        self.snapshot_every, self.snapshot_seconds = snapshot_every, snapshot_seconds
        self.window = window
        self.watch = watch  # is shown examples, and what was predicted before they were learned
        self.failure: str | None = None
        self.damaged: list[str] = []  # snapshots that could not be read
        self.lost_snapshots = 0  # that could not be written
        self.refused = 0
        self._gate = threading.Lock()  # state and its number change together
        self._waiting = 0  # predictions at the gate
        self._rows = 64  # learned at a time
        self._sum: tuple[int, int, str] | None = None
        self._queue: deque[Request] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self.path.mkdir(parents=True, exist_ok=True)
        self.log = self._new_log()
        self.snapshots = Snapshots(self.path / "snapshots")
        try:
            self._recover(learner, progress)
        except BaseException:
            self.log.close()
            raise
        self._writer = threading.Thread(target=self._write_forever, name="onstream", daemon=True)
        self._writer.start()

    def _new_log(self) -> Log:
        return Log(self.path)

    # --- recovery -------------------------------------------------------------------------------

    def _recover(self, learner: Any, progress: Callable[[int, int], None] | None) -> None:
        """The newest whole snapshot, and every record after it."""
        log = self.log
        self._next = log.get("next_seq", 1)
        self._epoch = log.epoch()
        if not self.snapshots.all():
            if learner is None:
                raise StoreError(f"{self.path}: there is no model here; give a learner.")
            if self._next > 1 or log.get("begun"):
                raise StoreError(f"{self.path}: the snapshots are gone. Put them back.")
            self.snapshots.write(learner, 0, 0)
        log.begin()
        log.put("begun", 1)
        log.commit()
        self.learner, snapshot, self.damaged = self._newest()
        if learner is not None and repr(learner) != repr(self.learner):
            raise ValueError(
                f"DurableModel: {self.path} holds a {self.learner!r}, not a {learner!r}. "
                f"Leave out the learner to go on with it."
            )
        self.seq = self._snapshot_seq = snapshot.seq
        self._next = max(self._next, snapshot.seq + 1)
        self._snapshot_time = time.monotonic()
        self._replay(snapshot.seq, progress)
        self.seq = max(self.seq, log.get("version", 0))

    def _newest(self, to_seq: int | None = None) -> Any:
        """The newest state from which the log goes on."""
        complete = self.log.get("complete_from", 1)

        def usable(epoch: int, seq: int) -> bool:
            return self.log.holds(epoch, seq) and seq + 1 >= complete

        try:
            return self.snapshots.newest(usable, to_seq)
        except ModelFileError as error:
            raise StoreError(f"{self.path}: no snapshot can be used: {error}") from None

    def _replay(self, after: int, progress: Callable[[int, int], None] | None = None) -> None:
        for first, examples in self.log.records(after):
            begin = max(0, after + 1 - first)
            rows = [row for row in range(begin, len(examples)) if examples[row] is not None]
            refused = self._apply([examples[row] for row in rows], [first + row for row in rows])
            if refused:  # a crash came before they were taken out
                self._take_out(first, examples, [rows[i] for i, _ in refused])
            if progress is not None:
                progress(self.seq, self._next - 1)

    # --- what callers do ------------------------------------------------------------------------

    def submit(self, examples: list[Example]) -> "Future[Receipt]":
        """Hand over checked examples; the future has a receipt when they are safe and applied."""
        return self._enqueue(Request(examples))

    def learn(self, examples: Iterable[Any]) -> Receipt:
        """Learn examples: mappings with x and y, and if you like an id and a source."""
        checked = [coerce_example(example) for example in examples]
        try:
            check_examples(checked)
        except Refused as error:
            raise ValueError(f"DurableModel: {error.path}: {error}. {error.hint}") from None
        return self.submit(checked).result()

    def learn_one(
        self, x: Any, y: Any, *, id: str | None = None, source: str | None = None
    ) -> Receipt:
        """Learn one example; what the learner refuses is a ValueError, and not in the log."""
        receipt = self.submit([make_example(x, y, id, source)]).result()
        if receipt.rejected:
            raise ValueError(receipt.rejected[0]["error"])
        return receipt

    def learn_many(
        self, X: Iterable[Any], y: Iterable[Any], *, source: str | None = None
    ) -> Receipt:
        """Learn rows: mappings, with their targets."""
        return self.learn(make_example(a, b, None, source) for a, b in zip(X, y, strict=True))

    def predict_one(self, x: Any) -> Any:
        """The learner's prediction."""
        return self.ask(lambda learner: learner.predict_one(x))[0]

    def predict_many(self, X: Any) -> Any:
        """The learner's predictions."""
        return self.ask(lambda learner: learner.predict_many(X))[0]

    def ask(self, question: Callable[[Any], Any]) -> tuple[Any, int]:
        """An answer of the learner, and the number of the last example that it had learned."""
        self._waiting += 1
        try:
            with self._gate:
                return question(self.learner), self.seq
        finally:
            self._waiting -= 1

    def drain(self) -> None:
        """Return when everything that was handed over before is learned."""
        self._do(lambda: None)

    @property
    def seen(self) -> int:
        """How many examples the learner has learned."""
        return int(self.learner.seen)

    @property
    def state_sha256(self) -> str:
        """The SHA-256 of the whole state: equal states, equal sums."""
        with self._gate:
            now = (self._epoch, self.seq)
            if self._sum is None or self._sum[:2] != now:
                self._sum = (*now, hashlib.sha256(dumps(self.learner)).hexdigest())
            return self._sum[2]

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    @property
    def unsaved(self) -> int:
        """Examples since the last snapshot, which a restart would have to learn again."""
        return self.seq - self._snapshot_seq

    def snapshot(self) -> Path:
        """Write a snapshot now; its file."""
        return self._do(self._snapshot)

    def rollback(self, *, to_seq: int) -> int:
        """Go back to the state after an example; later ones are forgotten, and may be sent again.

        Possible as far back as the log goes. Returns the number of the state.
        """
        return self._do(lambda: self._rollback(to_seq))

    def replay(self, *, exclude_source: str) -> int:
        """Become the model that would be there if a source had never spoken.

        Returns how many of its examples were taken out. Their ids stay known.
        """
        return self._do(lambda: self._exclude(exclude_source))

    def close(self) -> None:
        """Learn what waits, write a snapshot, close. A second call does nothing."""
        with self._wake:
            if self._closing:
                return
            self._closing = True
            self._wake.notify()
        self._writer.join()
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the writer: one thread, the only one that changes anything -------------------------------

    def _enqueue(self, request: Request) -> "Future[Any]":
        with self._wake:
            if self.failure is not None or self._closing:
                raise StoreStopped(self.failure or f"{self.path}: the store is closed.")
            if len(self._queue) >= QUEUE:
                raise StoreFull("too many requests wait to be learned")
            self._queue.append(request)
            self._wake.notify()
        return request.future

    def _do(self, work: Callable[[], Any]) -> Any:
        """Let the writer do something after what waits."""
        return self._enqueue(Request([], work)).result()

    def _write_forever(self) -> None:
        while True:
            group, work = self._take_group()
            if not group and work is None:
                if self._closing:
                    break
            elif self.failure is not None:
                for request in [*group, *([work] if work else [])]:
                    request.future.set_exception(StoreStopped(self.failure))
            else:
                self._write(group)
                if work is not None:
                    self._work(work)
            self._snapshot_if_due()
        if self.failure is None and self.seq > self._snapshot_seq:
            self._try_snapshot()

    def _take_group(self) -> tuple[list[Request], Request | None]:
        """What waits, up to something else to do; after a while, nothing."""
        with self._wake:
            if not self._queue and not self._closing:
                self._wake.wait(min(1.0, self.snapshot_seconds))
            group: list[Request] = []
            while self._queue and len(group) < GROUP:
                request = self._queue.popleft()
                if request.work is not None:
                    return group, request
                group.append(request)
            return group, None

    def _work(self, request: Request) -> None:
        try:
            result = request.work() if request.work else None
        except OF_DISK as error:
            self._fail(error)
            request.future.set_exception(StoreStopped(self.failure))
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self.log.rollback()
            request.future.set_exception(error)
        else:
            request.future.set_result(result)

    def _write(self, group: list[Request]) -> None:
        """Commit a group of requests with one sync, then learn and acknowledge each."""
        if not group:
            return
        log, following = self.log, self._next
        try:
            log.begin()
            for request in group:
                following = self._append(request, following)
            log.put("next_seq", following)
            log.commit()
        except OF_DISK as error:
            self._refuse(group, error)
            return
        self._next = following
        for request in group:
            self._learn(request)
        try:
            log.checkpoint()
        except OF_DISK as error:
            self._fail(error)

    def _append(self, request: Request, following: int) -> int:
        """Put what is new of a request into the log."""
        examples = request.examples
        ids = [example.id for example in examples if example.id is not None]
        known = self.log.known(ids) if ids else set()
        if known or len(set(ids)) < len(ids):
            for row, example in enumerate(examples):
                if example.id is None or example.id not in known:
                    request.rows.append(row)
                if example.id is not None:
                    known.add(example.id)
            request.duplicates = len(examples) - len(request.rows)
            request.examples = examples = [examples[row] for row in request.rows]
        request.first = following
        if examples:
            self.log.append(following, examples)
        return following + len(examples)

    def _learn(self, request: Request) -> None:
        """Learn the examples of a request, which are on the disk, and answer it."""
        examples, first = request.examples, request.first
        numbers = range(first, first + len(examples))
        try:
            refused = self._apply(examples, numbers)
            if refused:
                self._take_out(first, list(examples), [row for row, _ in refused])
        except BaseException as error:  # memory is short, or the disk failed
            self._fail(error)
            request.future.set_exception(StoreStopped(self.failure))
            return
        rows = request.rows or range(len(examples))
        rejected = [{"path": f"examples[{rows[row]}]", "error": why} for row, why in refused]
        request.future.set_result(
            Receipt(
                first if examples else None,
                numbers[-1] if examples else None,
                len(examples) - len(refused),
                request.duplicates,
                rejected,
            )
        )

    def _apply(self, examples: list[Any], numbers: Any) -> list[tuple[int, str]]:
        """Learn examples, slice by slice; which the learner refused, and why."""
        refused: list[tuple[int, str]] = []
        start = 0
        while start < len(examples):
            end = min(len(examples), start + self._rows)
            some = examples[start:end]
            began = time.perf_counter()
            with self._gate:
                refused += [(start + row, why) for row, why in self._learn_slice(some)]
                self.seq = numbers[end - 1]
            took = (time.perf_counter() - began) / len(some)
            self._rows = max(1, min(1024, int(SLICE / max(took, 1e-9))))
            start = end
            if self._waiting:
                time.sleep(0)  # let them in
        self.refused += len(refused)
        return refused

    def _learn_slice(self, examples: list[Example]) -> list[tuple[int, str]]:
        """One by one where the learner refuses one: the others are learned as if it never came."""
        learner = self.learner
        X, y = [example.x for example in examples], [example.y for example in examples]
        before = learner.seen
        try:
            if self.watch is None or not hasattr(learner, "predict_learn_many"):
                learner.learn_many(X, y)
            else:
                self.watch(examples, learner.predict_learn_many(X, y))
            return []
        except REFUSALS:
            done = learner.seen - before
        refused: list[tuple[int, str]] = []
        for row in range(done, len(examples)):
            try:
                learner.learn_one(X[row], y[row])
            except REFUSALS as error:
                refused.append((row, str(error)))
        return refused

    def _take_out(self, first: int, examples: list[Any], rows: list[int]) -> None:
        self.log.begin()
        self.log.take_out(first, examples, rows)
        self.log.commit()

    def _refuse(self, group: list[Request], error: Exception) -> None:
        """Nothing of a group is on the disk for sure: tell each; stop unless it was just full."""
        full = isinstance(error, sqlite3.OperationalError) and "full" in str(error)
        if full:
            try:
                self.log.rollback()
            except OF_DISK:
                full = False
        if not full:
            self._fail(error)
        for request in group:
            why = StoreFull("the disk is full") if full else StoreStopped(self.failure)
            request.future.set_exception(why)

    def _fail(self, error: BaseException) -> None:
        """Never again acknowledge anything: what the disk holds is known after a restart only."""
        if self.failure is None:
            self.failure = f"{self.path}: the log failed ({error}); restart to go on from the disk."

    # --- snapshots, and history rewritten -------------------------------------------------------

    def _snapshot_if_due(self) -> None:
        new = self.seq - self._snapshot_seq
        late = time.monotonic() - self._snapshot_time > self.snapshot_seconds
        if self.failure is None and (new >= self.snapshot_every or (new and late)):
            self._try_snapshot()

    def _try_snapshot(self) -> None:
        """Write a snapshot; without room for it, the log alone still keeps everything."""
        try:
            self._snapshot()
        except OSError:
            self.lost_snapshots += 1
            self._snapshot_time = time.monotonic()
        except sqlite3.Error as error:
            self._fail(error)

    def _snapshot(self) -> Path:
        path = self.snapshots.write(self.learner, self.seq, self._epoch).path
        self._snapshot_seq, self._snapshot_time = self.seq, time.monotonic()
        oldest, last = self.snapshots.prune(self.log.holds), self._next - 1
        self.log.begin()
        self.log.forget(min(oldest, last - self.window), last - self.window)
        self.log.commit()
        self.log.checkpoint(always=True)
        return path

    def _rollback(self, to_seq: int) -> int:
        if not 0 <= to_seq <= self.seq:
            raise ValueError(f"rollback: to_seq must be from 0 to {self.seq:,}, got {to_seq:,}.")
        self._newest(to_seq)  # or say now that it is too long ago
        self.log.begin()
        self.log.cut(to_seq)
        self.log.rewrite(to_seq, f"rollback to {to_seq}")
        self.log.put("version", to_seq)
        self.log.commit()
        return self._rebuild(to_seq)

    def _exclude(self, source: str) -> int:
        first = self.log.first_of(source)
        if first is None:
            return 0
        self._newest(first - 1)
        self.log.begin()
        taken = self.log.exclude(source)
        self.log.rewrite(first - 1, f"without source {source}")
        self.log.put("version", self._next)  # a state that never was has a number of its own
        self.log.put("next_seq", self._next + 1)
        self.log.commit()
        self._next += 1
        self._rebuild(self._next - 1)
        return taken

    def _rebuild(self, version: int) -> int:
        """Become what the log says now. Predictions go on from the old state until that is done."""
        aside = object.__new__(type(self))
        vars(aside).update(vars(self), _gate=threading.Lock(), _waiting=0, watch=None)
        aside.learner, snapshot, _ = aside._newest(version)
        aside.seq = snapshot.seq
        aside._replay(snapshot.seq)
        with self._gate:
            self.learner, self.seq, self._epoch = aside.learner, version, self.log.epoch()
        self._snapshot_seq = snapshot.seq
        self._snapshot_time = time.monotonic()
        self._try_snapshot()
        return version
