"""Text with one row per line, parsed by Arrow: fast while all is well, exact when it is not."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .rejects import Place, Tally, at_line

FEW = 64  # lines that are looked at one by one


@dataclass
class Text:
    """Some lines, each with its newline."""

    data: bytes
    first: int  # number of the first of them, from 1
    cut: str = ""  # why the last row has no end, if it has none


@dataclass
class Piece:
    """A table, and the lines its rows stand on."""

    table: Any
    data: bytes
    name: str  # of the file
    numbers: Sequence[int]  # of the lines

    def place(self, row: int, column: Any) -> Place:
        """Where a value stands."""
        return at_line(self.name, self.numbers[row], column)

    def line(self, row: int) -> bytes:
        """The line of a row."""
        return self.data.split(b"\n", row + 1)[row]


class Grammar(ABC):
    """What a line is."""

    @abstractmethod
    def parse(self, data: bytes, count: int) -> Any:
        """A table of `count` lines, or an error of Arrow or ValueError."""

    def blank(self, line: bytes) -> bool:
        """Say whether a line is blank, so that it is no row."""
        return not line.strip(b" \t\r")

    def doubled(self, data: bytes) -> bool:
        """Say whether a line may hold two rows: then the number of rows proves nothing."""
        return False

    @abstractmethod
    def flaw(self, line: bytes) -> tuple[Any, str] | None:
        """What is surely wrong with a line: the column, if one is to blame, and the reason."""

    @abstractmethod
    def explain(self, line: bytes, reason: str) -> tuple[Any, str]:
        """The same for a line that Arrow could not read, for this reason."""


def parsed(lines: Text, grammar: Grammar, tally: Tally, name: str) -> Iterator[Piece]:
    """Tables with a row for every line that can be read; the others are rejected.

    Lines that cannot be parsed together are halved; of a few, those with a flaw are taken out,
    and the rest is tried again. A call of Arrow costs half a millisecond, however short the line.
    """
    stack: list[tuple[bytes, Sequence[int], bool]] = [
        (lines.data, range(lines.first, lines.first + lines.data.count(b"\n")), False)
    ]
    while stack:
        data, numbers, looked_at = stack.pop()
        count = len(numbers)
        table, reason = attempt(grammar, data, count)
        if table is not None:
            yield Piece(table, data, name, numbers)
        elif count == 1:
            if not grammar.blank(data[:-1]):
                column, why = grammar.explain(data, reason)
                tally.reject(at_line(name, numbers[0], column), why, data)
        elif count > FEW or looked_at:
            half = halfway(data)
            n = data.count(b"\n", 0, half)
            stack.append((data[half:], numbers[n:], looked_at))
            stack.append((data[:half], numbers[:n], looked_at))
        else:
            texts = data.split(b"\n")
            kept = []
            for i, number in enumerate(numbers):
                if grammar.blank(texts[i]):
                    continue
                flaw = grammar.flaw(texts[i])
                if flaw is None:
                    kept.append((texts[i], number))
                else:
                    # In order: what comes before an error is to be read first.
                    if tally.on_error == "raise" and kept:
                        stack.append(rejoined(texts[i:], numbers[i:]))
                        break
                    tally.reject(at_line(name, number, flaw[0]), flaw[1], texts[i])
            if kept:
                stack.append((b"".join(t + b"\n" for t, _ in kept), [n for _, n in kept], True))


def rejoined(texts: list[bytes], numbers: Sequence[int]) -> tuple[bytes, Sequence[int], bool]:
    """Lines to be looked at later."""
    return b"".join(text + b"\n" for text in texts[: len(numbers)]), numbers, False


def halfway(data: bytes) -> int:
    """Where the second half of at least two lines begins."""
    half = data.find(b"\n", len(data) // 2) + 1
    if half in (0, len(data)):  # the second half is one long line
        half = data.rfind(b"\n", 0, len(data) - 1) + 1
    return half


def attempt(grammar: Grammar, data: bytes, count: int) -> tuple[Any, str]:
    """A table with one row per line; or None, and the reason."""
    import pyarrow as pa

    try:
        table = grammar.parse(data, count)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        return None, str(error)
    fits = table.num_rows == count and (count == 1 or not grammar.doubled(data))
    return (table, "") if fits else (None, "")
