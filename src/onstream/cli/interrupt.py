"""A Ctrl-C that waits until the rows at hand are done."""

import signal
import threading
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
