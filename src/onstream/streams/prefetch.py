"""Read ahead in another thread, so that parsing and learning share two cores."""

import os
import threading
from collections.abc import Iterator
from queue import Full, Queue
from typing import Any, TypeVar

from .live_file import Stop

T = TypeVar("T")
AHEAD = 2  # blocks that wait
ELSEWHERE = (
    "onstream: this stream was begun before the process was forked, and the thread that reads it "
    "is in the other process; open the file again in this one."
)


def prefetched(items: Iterator[T], stop: Stop) -> Iterator[T]:
    """The same items; the next ones are made while this one is used.

    The thread ends with the items, or when the consumer does; then it requests a `stop`, so that
    no read waits for a pipe.
    """
    process = os.getpid()
    queue: Queue[Any] = Queue(AHEAD)
    over = threading.Event()

    def offer(item: Any) -> bool:
        while not over.is_set():
            try:
                queue.put(item, timeout=0.1)
                return True
            except Full:
                continue
        return False

    def work() -> None:
        try:
            for item in items:
                if not offer((item, None)):
                    return
            offer((None, StopIteration()))
        except BaseException as error:
            offer((None, error))
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()

    thread = threading.Thread(target=work, name="onstream reader", daemon=True)
    thread.start()
    try:
        while True:
            if os.getpid() != process:
                raise RuntimeError(ELSEWHERE)
            item, error = queue.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item
    finally:
        if os.getpid() == process:
            stop.requested = True
            over.set()
            thread.join()
