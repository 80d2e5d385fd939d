"""What Python's allocator says: bytes that work leaves behind, and bytes that a model held."""

import _thread
import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any


def traced() -> int:
    """Bytes that the allocator has given out, those in Python's free lists aside."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def without_threads(work: Callable[[], Any]) -> Any:
    """What `work()` returns, once the threads that it has started hold nothing any more.

    They get on to end when this one lets them.
    """
    running, found = _thread._count(), work()
    for _ in range(5000):
        if _thread._count() <= running:
            break
        time.sleep(0.001)
    return found


def left_by(work: Callable[[], object], little: int) -> list[int]:
    """Bytes that are left by each run of some work, until one leaves less than `little`.

    Other threads and caches of Python may add to one run, but not to three: what leaks is left
    every time.
    """
    left: list[int] = []
    while len(left) < 3 and (not left or left[-1] >= little):
        tracemalloc.start()
        try:
            before = traced()
            without_threads(work)
            left.append(traced() - before)
        finally:
            tracemalloc.stop()
    return left


def held_by(make: Callable[[], Any], X: Any, y: Any) -> tuple[int, int]:
    """Bytes that the allocator gets back when a model goes; and the most that it said it had."""
    tracemalloc.start()
    try:
        model, most = make(), 0
        for start in range(0, len(X), 100):
            model.learn_many(X[start : start + 100], y[start : start + 100])
            most = max(most, model.memory_bytes)
        before = traced()
        del model
        return before - traced(), most
    finally:
        tracemalloc.stop()
