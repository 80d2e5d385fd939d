"""A learner that keeps what it was taught: logged, then acknowledged; replayed after a crash.

validate, de-duplicate by id, append to the log, commit (synced), apply in the order of the log,
acknowledge. What the disk then has, and how a start becomes it again: history.py.
"""

import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from os import PathLike
from pathlib import Path
from typing import Any, Self

from .example import Example, Refused, check_examples
from .history import History, check_begin
from .log import Log, StoreError, sync_folder
from .receipt import Receipt, Rejected, of_rows
from .rows import coerce_example, examples_of, make_example
from .state import LiveState

GROUP = 64  # requests that one sync commits, at most
QUEUE = 1024  # requests that may wait, and
QUEUE_BYTES = 32 << 20  # how large they may be together
WEIGHED = 1000  # examples after which the memory of the learner is looked at again
OF_DISK = (sqlite3.Error, OSError)


class StoreStopped(StoreError):
    """The disk failed (or the store was closed): nothing more is acknowledged; open it again."""


class StoreFull(StoreError):
    """There is no room: on the disk, or in the queue. Nothing was kept of this request."""


class ModelFull(StoreError):
    """The learner has grown to the memory that it may have; it predicts, but learns no more."""


class Request:
    """Examples that wait for the writer, or something else to be done between two of them."""

    __slots__ = ("examples", "first", "future", "new", "rows", "size", "work")

    def __init__(
        self, examples: list[Example], work: Callable[[], Any] | None = None, size: int = 0
    ) -> None:
        self.examples, self.work, self.size = examples, work, size
        self.future: Future[Any] = Future()
        self.first = 0
        self.rows: Sequence[int] = ()  # where the examples stand that are no duplicates
        self.new: list[Example] = []  # and these


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
    max_memory : int or None, default None
        Bytes of the learner above which it learns no more (`ModelFull`): feature names that never
        end then fill no memory. None: no limit.

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
        max_memory: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        watch: Callable[[list[Example], Any], None] | None = None,
    ) -> None:
        self.path = Path(path)
        self.snapshot_every, self.snapshot_seconds = snapshot_every, snapshot_seconds
        self.max_memory = max_memory
        self.failure: str | None = None
        self.lost_snapshots = 0  # that could not be written
        self._weighed = -WEIGHED  # the number at which the memory was looked at
        self._queue: deque[Request] = deque()
        self._queue_bytes = 0
        self._wake = threading.Condition()
        self._closing = False
        check_begin(self.path, learner)
        self.path.mkdir(parents=True, exist_ok=True)
        self.log = self._new_log()
        try:
            self.history = History(self.path, self.log, window)
            sync_folder(self.path.parent)
            self.history.recover(learner, progress, watch)
        except BaseException:
            self.log.close()
            raise
        self._snapshot_time = time.monotonic()
        self._snapshot_at = snapshot_every  # examples since the last one
        self._writer = threading.Thread(target=self._write_forever, name="onstream", daemon=True)
        self._writer.start()

    def _new_log(self) -> Log:
        return Log(self.path)

    # --- what callers do ------------------------------------------------------------------------

    def submit(self, examples: list[Example], size: int = 0) -> "Future[Receipt]":
        """Hand over checked examples; the future has a receipt when they are safe and applied.

        `size` is what they take in bytes, about: only so many may wait.
        """
        return self._enqueue(Request(examples, size=size))

    def learn(self, examples: Iterable[Any]) -> Receipt:
        """Learn examples: mappings with x and y, and if you like a weight w, an id and a source.

        What the learner refuses stands in the receipt: `rejected` says which, and why.
        """
        return self._learn_checked([coerce_example(example) for example in examples])

    def learn_one(
        self, x: Any, y: Any, w: float = 1.0, *, id: str | None = None, source: str | None = None
    ) -> Receipt:
        """Learn one example; what the learner refuses is `Rejected`, and not in the log."""
        receipt = self._learn_checked([make_example(x, y, w, id, source)])
        if receipt.rejected:
            raise Rejected(receipt.rejected[0]["error"], receipt)
        return receipt

    def learn_many(self, X: Any, y: Any, w: Any = None, *, source: str | None = None) -> Receipt:
        """Learn rows with their targets: mappings, a frame by its columns, an array, texts.

        If the learner refuses some, the others are learned, and `Rejected` names those.
        """
        receipt = self._learn_checked(examples_of(X, y, w, source))
        if receipt.rejected:
            raise of_rows(receipt)
        return receipt

    def _learn_checked(self, examples: list[Example]) -> Receipt:
        try:
            check_examples(examples)
        except Refused as error:
            place = error.path.removeprefix("examples[0]." if len(examples) == 1 else "")
            raise ValueError(f"DurableModel: {place}: {error}. {error.hint}") from None
        return self.submit(examples).result()

    def predict_one(self, x: Any) -> Any:
        """The learner's prediction."""
        return self.ask(lambda learner: learner.predict_one(x))[0]

    def predict_many(self, X: Any) -> Any:
        """The learner's predictions."""
        return self.ask(lambda learner: learner.predict_many(X))[0]

    def ask(self, question: Callable[[Any], Any]) -> tuple[Any, int]:
        """An answer of the learner, and the number of the last example that it had learned."""
        return self.state.ask(question)

    def ask_soon(self, question: Callable[[Any], Any], seconds: float) -> tuple[Any, int] | None:
        """The same, or None if the model is busy for longer."""
        return self.state.ask_soon(question, seconds)

    def drain(self) -> None:
        """Return when everything that was handed over before is learned."""
        self._do(lambda: None)

    @property
    def state(self) -> LiveState:
        """The learner and its number, which change together."""
        return self.history.state

    @property
    def learner(self) -> Any:
        """The learner; it may be learning."""
        return self.state.learner

    @property
    def seq(self) -> int:
        """Number of the last example that it has learned, or of the state made by a replay."""
        return self.state.seq

    @property
    def seen(self) -> int:
        """How many examples the learner has learned."""
        return int(self.learner.seen)

    @property
    def refused(self) -> int:
        """How many examples the learner refused."""
        return self.state.refused

    @property
    def damaged(self) -> list[str]:
        """What is wrong with snapshots that were left aside at the start."""
        return self.history.damaged

    @property
    def state_sha256(self) -> str:
        """The SHA-256 of the whole state: equal states, equal sums."""
        with self.state.gate:
            return self.history.state_sum()

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    @property
    def unsaved(self) -> int:
        """Examples since the last snapshot, which a restart would have to learn again."""
        return self.seq - self.history.saved

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
            if len(self._queue) >= QUEUE or self._queue_bytes + request.size > QUEUE_BYTES:
                raise StoreFull("too many requests wait to be learned")
            self._queue.append(request)
            self._queue_bytes += request.size
            self._wake.notify()
        return request.future

    def _do(self, work: Callable[[], Any]) -> Any:
        """Let the writer do something after what waits."""
        return self._enqueue(Request([], work)).result()

    def _write_forever(self) -> None:
        while True:
            group, work = self._take_group()
            if not group and work is None and self._closing:
                break
            taken = [*group, *([work] if work else [])]
            try:
                if self.failure is None:
                    self._write(group)
                    if work is not None:
                        self._work(work)
                    self._snapshot_if_due()
            except BaseException as error:  # nobody may wait forever for a fault of ours
                self._fail(error)
            for request in taken:
                if not request.future.done():
                    request.future.set_exception(StoreStopped(self.failure))
        if self.failure is None and self.unsaved:
            self._try_snapshot()

    def _take_group(self) -> tuple[list[Request], Request | None]:
        """What waits, up to something else to do; after a while, nothing."""
        with self._wake:
            if not self._queue and not self._closing:
                self._wake.wait(min(1.0, self.snapshot_seconds))
            group: list[Request] = []
            while self._queue and len(group) < GROUP:
                request = self._queue.popleft()
                self._queue_bytes -= request.size
                if not request.future.set_running_or_notify_cancel():
                    continue  # nobody waits for it any more
                if request.work is not None:
                    return group, request
                group.append(request)
            return group, None

    def _work(self, request: Request) -> None:
        try:
            result = request.work() if request.work else None
        except sqlite3.Error as error:
            self._refuse([request], error)
        except BaseException as error:  # the log is as it was
            with contextlib.suppress(sqlite3.Error):
                self.log.rollback()
            request.future.set_exception(error)
        else:
            request.future.set_result(result)

    def _write(self, group: list[Request]) -> None:
        """Commit a group of requests with one sync, then learn and acknowledge each."""
        if not group:
            return
        if self._too_large():
            for request in group:
                request.future.set_exception(ModelFull(self._too_large()))
            return
        log, following = self.log, self.history.next
        try:
            log.begin()
            for request in group:
                following = self._append(request, following)
            log.put("next_seq", following)
            log.commit()
        except OF_DISK as error:
            self._refuse(group, error)
            return
        except Exception as error:  # one of them cannot be written down: the others can
            log.rollback()
            if len(group) == 1:
                group[0].future.set_exception(error)
            else:
                for request in group:
                    self._write([request])
            return
        self.history.next = following
        for request in group:
            self._learn(request)
        try:
            log.checkpoint()
        except OF_DISK as error:
            self._fail(error)

    def _too_large(self) -> str:
        """What to say if the learner has all the memory that it may have."""
        if self.max_memory is None:
            return ""
        if self.seq >= self._weighed + WEIGHED:
            self._bytes, self._weighed = int(self.learner.memory_bytes), self.seq
        if self._bytes <= self.max_memory:
            return ""
        return f"the model has {self._bytes:,} bytes; {self.max_memory:,} are allowed"

    def _append(self, request: Request, following: int) -> int:
        """Put what is new of a request into the log."""
        examples = request.examples
        request.rows, request.new = range(len(examples)), examples
        ids = [example.id for example in examples if example.id is not None]
        known = self.log.known(ids) if ids else set()
        if known or len(set(ids)) < len(ids):
            rows = []
            for row, example in enumerate(examples):
                if example.id is None or example.id not in known:
                    rows.append(row)
                if example.id is not None:
                    known.add(example.id)
            request.rows, request.new = rows, [examples[row] for row in rows]
        request.first = following
        if request.new:
            self.log.append(following, request.new)
        return following + len(request.new)

    def _learn(self, request: Request) -> None:
        """Learn the examples of a request, which are on the disk, and answer it."""
        examples, first = request.new, request.first
        numbers = range(first, first + len(examples))
        try:
            refused = self.state.learn(examples, numbers)
            if refused:
                self.history.take_out(first, list(examples), [row for row, _ in refused])
        except BaseException as error:  # memory is short, or the disk failed
            self._fail(error)
            request.future.set_exception(StoreStopped(self.failure))
            return
        rejected = [
            {"path": f"examples[{request.rows[row]}]", "error": why} for row, why in refused
        ]
        request.future.set_result(
            Receipt(
                first if examples else None,
                numbers[-1] if examples else None,
                len(examples) - len(refused),
                len(request.examples) - len(examples),
                rejected,
            )
        )

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
        new = self.unsaved
        late = time.monotonic() - self._snapshot_time > self.snapshot_seconds
        if self.failure is None and (new >= self._snapshot_at or (new and late)):
            self._try_snapshot()

    def _try_snapshot(self) -> None:
        """Write a snapshot; without room for it, the log alone still keeps everything."""
        try:
            self._snapshot()
        except OSError:
            self.lost_snapshots += 1
            self._snapshot_time = time.monotonic()
            self._snapshot_at = self.unsaved + self.snapshot_every  # not again after every group
        except sqlite3.Error as error:
            self._fail(error)

    def _snapshot(self) -> Path:
        path = self.history.snapshot()
        self._snapshot_time = time.monotonic()
        self._snapshot_at = self.snapshot_every
        return path

    def _rollback(self, to_seq: int) -> int:
        self.history.roll_back(to_seq)
        self._rewritten()
        return to_seq

    def _exclude(self, source: str) -> int:
        before = self.history.epoch
        taken = self.history.exclude(source)
        if self.history.epoch > before:
            self._rewritten()
        return taken

    def _rewritten(self) -> None:
        self._weighed = self.seq - WEIGHED
        self._try_snapshot()
