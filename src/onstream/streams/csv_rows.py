"""Rows of a CSV file: on one line each, or on as many as a quote is open for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .csv_types import is_float
from .files import BOM, LONGEST, Lines
from .lines import Grammar, Piece, Text, attempt, parsed
from .rejects import Tally, at_line

MARKS = ";\t|,"  # usual delimiters
UTF8 = ("utf-8", "utf-8-sig")  # a mark at the beginning is passed over anyway
WORDS = {"double": "a number", "int64": "a whole number", "bool": "true or false"}
CONVERSION = re.compile(r"In CSV column #(\d+):.*?conversion error to (\w+).*?'(.*)'", re.DOTALL)
ARITY = re.compile(r"Expected (\d+) columns, got (\d+)")
TOGETHER = 4096  # rows over several lines that are parsed at a time, while all is well
LOOKED_AT = 200  # lines that decide whether a quote was a mistake
PATIENCE = 20  # times that a line may be looked at again after a stray quote


@dataclass
class Format:
    """How a file is written."""

    delimiter: str
    decimal: str
    encoding: str
    missing: list[str]
    newlines_in_values: bool


class CSVGrammar(Grammar):
    """What a line of a CSV file is, the types of the columns that matter being known."""

    def __init__(self, format: Format, names: list[str], schema: dict[str, Any]) -> None:
        self.format = format
        self.names = names
        self.schema = schema
        blanks = " \t\r" if len(names) > 1 else "\r"  # of one column, blanks may be a value
        self.blanks = blanks.replace(format.delimiter, "").encode()

    def parse(self, data: bytes, count: int) -> Any:
        """A table of these lines."""
        import pyarrow as pa
        import pyarrow.csv as pc

        last = data[data.rfind(b"\n", 0, -1) + 1 :]
        if b'"' in last and quote_open(last, False, self.format.delimiter):
            raise ValueError(never_closed(self.format))  # Arrow would close it
        if data.startswith(BOM):  # within a file it is a part of the value; Arrow drops the first
            data = BOM + data
        return pc.read_csv(
            pa.BufferReader(data),
            read_options=pc.ReadOptions(
                column_names=self.names, use_threads=False, block_size=max(len(data) + 1, 1 << 10)
            ),
            parse_options=pc.ParseOptions(
                delimiter=self.format.delimiter,
                newlines_in_values=self.format.newlines_in_values,
            ),
            convert_options=pc.ConvertOptions(
                column_types=self.schema,
                include_columns=list(self.schema),
                null_values=self.format.missing,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                timestamp_parsers=["never"],
                decimal_point=self.format.decimal,
            ),
        )

    def blank(self, line: bytes) -> bool:
        """Whether a line holds nothing; empty values between delimiters are something."""
        return not line.strip(self.blanks)

    def doubled(self, data: bytes) -> bool:
        """A lone carriage return ends a row, too."""
        return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")

    def flaw(self, line: bytes) -> tuple[Any, str] | None:
        """What is surely wrong: the number of columns, or a text that cannot be a number."""
        if b'"' in line or b"\r" in line[:-1]:
            return None  # let Arrow say
        row = line.rstrip(b"\r").split(self.format.delimiter.encode())
        if len(row) != len(self.names):
            return None, self.wrong_arity(len(self.names), len(row), line)
        for name, value in zip(self.names, row, strict=True):
            kind = str(self.schema.get(name))
            if kind != "double" or value[:1] in b"nNiI+-" or is_float(value, self.format.decimal):
                continue
            text = value.decode(errors="replace")
            if text not in self.format.missing:
                return name, self.wrong_type(text, kind)
        return None

    def explain(self, line: bytes, reason: str) -> tuple[Any, str]:
        """The column and the reason why Arrow could not read a line."""
        found = CONVERSION.search(reason)
        if found:
            column = int(found[1])
            name = self.names[column] if column < len(self.names) else column
            if "UTF8" in reason:
                return name, not_text(self.format.encoding)
            return name, self.wrong_type(found[3], found[2])
        if "UTF8" in reason:
            return None, not_text(self.format.encoding)
        found = ARITY.search(reason)
        if found:
            return None, self.wrong_arity(int(found[1]), int(found[2]), line)
        if not reason and self.doubled(line):
            reason = "a carriage return stands within the line"
        return None, reason[:200] or "the line cannot be read"

    def wrong_arity(self, expected: int, got: int, line: bytes) -> str:
        """The reason for a wrong number of columns."""
        hint = other_delimiter(line.decode(errors="replace"), self.format.delimiter)
        hint = f"; {hint}" if got == 1 and expected > 1 and hint else ""
        return f"{expected} columns are expected, there are {got}{hint}"

    def wrong_type(self, text: str, kind: str) -> str:
        """The reason for a value of the wrong type."""
        wanted = WORDS.get(kind, kind)
        other = "has fractions, say float" if kind == "int64" else "is text, say so"
        return f"{text[:60]!r} is not {wanted}; if the column {other} in types"


def not_text(encoding: str) -> str:
    """The reason for bytes that are no text of an encoding."""
    if encoding not in UTF8:
        return f"the text is not valid {encoding}"
    return (
        "the text is not valid UTF-8; if the file has another encoding, name it, such as "
        "encoding='cp1252' (--encoding cp1252)"
    )


def never_closed(format: Format, where: str = "") -> str:
    """The reason for a quote without its like."""
    hint = "; if values span lines, say newlines_in_values=True (--newlines-in-values)"
    return f"a quote{where} is never closed" + ("" if format.newlines_in_values else hint)


def other_delimiter(line: str, delimiter: str) -> str:
    """A hint to the delimiter that a line of one column may have been written with, or nothing."""
    count, mark = max((line.count(mark), mark) for mark in MARKS if mark != delimiter)
    if not count:
        return ""
    return f"if {mark!r} stands between the values, say delimiter={mark!r} (--delimiter {mark!r})"


def rows_of(lines: Text, grammar: CSVGrammar, tally: Tally, name: str) -> Iterator[Piece]:
    """Tables with a row for every row that can be read; the others are rejected."""
    parse = spanning if grammar.format.newlines_in_values else parsed
    return parse(lines, grammar, tally, name)


@dataclass
class Spans(Piece):
    """A table whose rows stand on one or more lines each."""

    texts: Sequence[bytes]

    def line(self, row: int) -> bytes:
        """The lines of a row."""
        return self.texts[row]


@dataclass
class Span:
    """A row on one or more lines."""

    at: int  # of its first line, from 0
    lines: list[bytes]

    @property
    def data(self) -> bytes:
        """Its lines, each with its newline."""
        return b"".join(self.lines)


def spanning(lines: Text, grammar: CSVGrammar, tally: Tally, name: str) -> Iterator[Piece]:
    """The same as `parsed` where a row goes on as long as a quote is open.

    A row that cannot be read may have swallowed others, by a quote that is a mistake. If its lines
    look like rows, only the first one is rejected, and reading goes on after it.
    """
    texts = [line + b"\n" for line in lines.data.split(b"\n")[:-1]]
    at, together = 0, TOGETHER
    patience = PATIENCE * len(texts)
    while at < len(texts):
        spans = some_spans(texts, at, together, grammar)
        at = spans[-1].at + len(spans[-1].lines) if spans else len(texts)
        together = min(2 * together, TOGETHER)
        stack = [spans] if spans else []
        while stack:
            spans = stack.pop()
            data = b"".join(span.data for span in spans)
            table, reason = attempt(grammar, data, len(spans))
            if table is not None:
                numbers = [lines.first + span.at for span in spans]
                yield Spans(table, data, name, numbers, [span.data for span in spans])
                continue
            if len(spans) > 1:
                half = len(spans) // 2
                stack += [spans[half:], spans[:half]]
                continue
            span = spans[0]
            column, why = grammar.explain(data, reason)
            if lines.cut and span.at + len(span.lines) == len(texts):
                why = lines.cut
            place = at_line(name, lines.first + span.at, column)
            stray = len(span.lines) > 1 and patience > 0 and column is None
            stray = stray and not only_encoding(grammar, data, reason)
            if stray and are_rows(span.lines[1:], grammar):
                tally.reject(place, "a quote is opened here by mistake", span.lines[0])
                at, together, stack = span.at + 1, 64, []
                patience -= len(span.lines)
            else:
                extent = f"; the row spans {len(span.lines):,} lines"
                tally.reject(place, why + (extent if len(span.lines) > 1 else ""), data)


def only_encoding(grammar: CSVGrammar, data: bytes, reason: str) -> bool:
    """Say whether all that is wrong with a row is that its text is not UTF-8."""
    if "UTF8" not in reason:
        return False
    readable, _ = attempt(grammar, data.decode(errors="replace").encode(), 1)
    return readable is not None


def some_spans(texts: list[bytes], at: int, n: int, grammar: CSVGrammar) -> list[Span]:
    """The next n rows, from a line on which one begins."""
    spans: list[Span] = []
    inside = False
    for i in range(at, len(texts)):
        if inside:
            spans[-1].lines.append(texts[i])
        elif grammar.blank(texts[i][:-1]):
            continue
        elif len(spans) == n:
            break
        else:
            spans.append(Span(i, [texts[i]]))
        inside = quote_open(texts[i], inside, grammar.format.delimiter)
    return spans


def are_rows(texts: list[bytes], grammar: CSVGrammar) -> bool:
    """Say whether most of some lines, of which only the first few are looked at, are rows."""
    some = texts[:LOOKED_AT]
    pieces = parsed(Text(b"".join(some), 1), grammar, Tally("skip"), "")
    return 2 * sum(len(piece.numbers) for piece in pieces) > len(some)


def whole_rows(blocks: Iterator[Lines], delimiter: str) -> Iterator[Lines]:
    """Blocks that end where no quote is open; or where one is open for too long."""
    held, first, inside = bytearray(), 1, False
    done = 0
    for lines in blocks:
        if lines.problem:
            if held:
                yield Lines(held, len(held), first, done, cut=lines.problem)
                held, inside = bytearray(), False
            yield lines
            continue
        first = first if held else lines.first
        held += lines.data
        done = lines.done
        inside = quote_open(lines.data, inside, delimiter)
        if not inside or len(held) > LONGEST:
            yield Lines(held, len(held), first, done)
            held, inside = bytearray(), False
    if held:
        yield Lines(held, len(held), first, done)


def quote_open(data: bytes, inside: bool, delimiter: str) -> bool:
    """Say whether a quoted value is open after `data`. Only at its start can a value be quoted."""
    opening = re.compile(rb"(?:^|[\r\n]|" + re.escape(delimiter.encode()) + rb')"')
    at = 0
    while True:
        if inside:
            at = data.find(b'"', at)
            if at < 0:
                return True
            inside = data[at + 1 : at + 2] == b'"'  # two of them are one that is meant
            at += 2 if inside else 1
        else:
            found = opening.search(data, at)
            if found is None:
                return False
            inside, at = True, found.end()
