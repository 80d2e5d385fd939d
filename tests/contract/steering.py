"""Threads that stop where a test wants them to: no test depends on who is faster."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any

import numpy as np
import pytest

PATIENCE = 120.0  # seconds until a thread counts as hanging
NAP = 0.0005
COLUMNS = 200
BLOCK = (1 << 15) // COLUMNS  # rows of that many columns that are learned as one block


class Job(threading.Thread):
    """Work in a thread of its own; `end` raises what it has raised."""

    def __init__(self, job: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.job = job
        self.error: BaseException | None = None
        self.result: Any = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.job()
        except BaseException as error:
            self.error = error

    def end(self) -> Any:
        """What came out of it."""
        self.join(PATIENCE)
        assert not self.is_alive(), "a thread hangs"
        if self.error is not None:
            raise self.error
        return self.result


def together(*jobs: Callable[[], Any]) -> None:
    """Run jobs at once, each in a thread; raise what one of them raises."""
    start = threading.Barrier(len(jobs))

    def after_all(job: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: (start.wait(PATIENCE), job())

    for job in [Job(after_all(job)) for job in jobs]:
        job.end()


def asleep(model: Any, jobs: list[Job]) -> bool:
    """Wait until all these jobs sleep at the model's gate. False: one ended instead."""
    for _ in range(int(PATIENCE / NAP)):
        if not all(job.is_alive() for job in jobs):
            return False
        if model._model.lock.waiting >= len(jobs):
            return True
        time.sleep(NAP)
    raise AssertionError("a thread neither sleeps nor ends")


@contextmanager
def held(model: Any) -> Iterator[None]:
    """As if another thread were writing a block."""
    with model._model.writing():
        yield


class Asking(np.ndarray):
    """An array that asks before it hands out a block of rows."""

    ask: Callable[[int], None] | None = None

    def __getitem__(self, at: Any) -> Any:
        if self.ask is not None and isinstance(at, slice):
            self.ask(at.start)
        return np.asarray(self)[at]


class Reader:
    """A verb that reads X block by block, and stops before each until it may go on."""

    def __init__(self, verb: Callable[..., Any], X: np.ndarray, *rest: Any) -> None:
        self.asked: Queue[int | None] = Queue()
        self.go = threading.Semaphore(0)
        self.stopped = self.asked_at_all = False
        rows = np.repeat(X, 2, axis=1)[:, ::2].view(Asking)  # strided, so that rows are asked for
        rows.ask = self.ask
        self.job = Job(lambda: self.work(verb, rows, *rest))

    def work(self, verb: Callable[..., Any], *args: Any) -> Any:
        try:
            return verb(*args)
        finally:
            self.asked.put(None)

    def ask(self, start: int) -> None:
        self.asked.put(start)
        assert self.go.acquire(timeout=PATIENCE), "nobody lets it go on"

    def stops(self) -> Iterator[int]:
        """The first row of each block, while the verb waits to read it."""
        while (start := self.asked.get(timeout=PATIENCE)) is not None:
            self.stopped = self.asked_at_all = True
            yield start
            self.let_go()
        if not self.asked_at_all:  # numbers that are nominal values are all numbered first
            self.job.end()
            pytest.skip("it reads all rows at once")

    def let_go(self) -> None:
        """Let it read the block before which it has stopped."""
        if self.stopped:
            self.stopped = False
            self.go.release()

    def end(self) -> Any:
        """Let it run to its end; what came out."""
        self.let_go()
        for _ in self.stops():
            pass
        return self.job.end()


def blocks(labels: bool, n: int = 4, seed: int = 0) -> tuple[np.ndarray, Any]:
    """Rows that make n blocks, and targets."""
    X = np.random.default_rng(seed).normal(size=(n * BLOCK, COLUMNS))
    return X, np.where(X[:, 0] > 0.0, "a", "b") if labels else X[:, 0] + 1.0
