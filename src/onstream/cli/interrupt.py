"""A Ctrl-C that waits until the rows at hand are done, and one before there are any."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def leave_at_once() -> None:
    """From now on Ctrl-C ends the program with a word, as long as a command is only loaded.

    An exception would come out of some import, and not always as a KeyboardInterrupt.
    """
    _exchange(signal.default_int_handler, _leave)


def hear() -> None:
    """A command begins: Ctrl-C is a KeyboardInterrupt again."""
    _exchange(_leave, signal.default_int_handler)


@contextmanager
def unheard() -> Iterator[None]:
    """Within this block Ctrl-C is nothing: the program ends anyway."""
    changed = _exchange(signal.default_int_handler, signal.SIG_IGN)
    try:
        yield
    finally:
        if changed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def _exchange(one: Any, other: Any) -> bool:
    """Put one handler of Ctrl-C in the place of another; what somebody else has set stays."""
    there = threading.current_thread() is threading.main_thread()
    if not there or signal.getsignal(signal.SIGINT) is not one:
        return False
    signal.signal(signal.SIGINT, other)
    return True


class CtrlC:
    """Within this block the first Ctrl-C only sets `pressed`; a second one interrupts at once.

    SIGTERM, by which service managers end a program, does the same.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.pressed = False
        self.handlers: Any = None  # those of before

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.handlers = [signal.signal(number, self._press) for number in SIGNALS]
        return self

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        self.stream.halt()

    def __exit__(self, *_: object) -> None:
        if self.handlers is not None:
            for number, handler in zip(SIGNALS, self.handlers, strict=True):
                signal.signal(number, handler)
