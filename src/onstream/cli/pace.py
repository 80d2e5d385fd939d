"""Blocks in pieces that take a fraction of a second, and a Ctrl-C that waits for one."""

import signal
import threading
from collections.abc import Iterator
from time import perf_counter
from types import FrameType
from typing import Any, Self

from ..streams.blocks import cut, length
from .faults import Unreadable

BLOCK = 16_384  # rows read at a time
PIECE = 0.2  # seconds
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def pieces(
    stream: Any, ctrl_c: "CtrlC | None" = None, most: int = BLOCK
) -> Iterator[tuple[Any, ...]]:
    """Blocks of at most `most` rows; fewer while who works on them is slow.

    Ctrl-C ends them after this piece; those of a pipe, after the rows that have arrived: nobody
    could read these again.
    """
    rows = 64
    for block in read(stream):
        start, stop = 0, length(block)
        while start < stop:
            piece = cut(block, start, min(start + rows, stop))
            start += length(piece)
            begun = perf_counter()
            yield piece
            taken = max(perf_counter() - begun, 1e-9)
            fitting = length(piece) * PIECE / taken
            rows = max(1, min(most, 4 * rows, int(fitting)))
            if ctrl_c is not None and ctrl_c.pressed and not stream.live:
                return


def read(stream: Any) -> Iterator[tuple[Any, ...]]:
    """The blocks of a stream, whose errors can be told from those of who works on them."""
    try:
        yield from stream.blocks()
    except ValueError as error:
        raise Unreadable(str(error)) from error


class CtrlC:
    """Within this block the first Ctrl-C only sets `pressed`; a second one interrupts at once.

    So does SIGTERM, by which service managers end a program.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.pressed = False
        self.before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.before = [signal.signal(number, self._note) for number in SIGNALS]
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        self.stream.halt()

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            for number, handler in zip(SIGNALS, self.before, strict=True):
                signal.signal(number, handler)
