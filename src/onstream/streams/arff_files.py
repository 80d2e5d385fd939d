"""ARFF files, dense and sparse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from ..base.blocks import Block
from ._arff_text import ARFFText, unescaped
from .columns import ColumnChoice, difference, quoted
from .files import Lines, PathLike
from .options import TableOptions, with_common_options
from .reader import LineReader, arranged
from .rejects import Place, Tally, at_line
from .stream import Stream

ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.*)""",
    re.IGNORECASE | re.DOTALL,
)
VALUE = re.compile(  # blanks belong to one part only, so that many of them take no time
    r"""(?:\s*'((?:[^'\\]|\\.)*)'\s*|\s*"((?:[^"\\]|\\.)*)"\s*|([^,'"]*))(?:,|$)"""
)
NUMERIC, NOMINAL, TEXT = 0, 1, 2
UNUSED, FEATURE, TARGET, WEIGHT = 0, 1, 2, 3


@with_common_options
def read_arff(
    path: PathLike | list[PathLike],
    target: str | int | None = None,
    **common: Unpack[TableOptions],
) -> Stream:
    r"""A stream of the rows of ARFF files (Weka), dense or sparse.

    Numeric attributes are numbers, nominal and string ones text; `?` is missing. In sparse rows
    what is left out is 0: a numeric feature that is absent, and the first value of a nominal one.
    There a nominal value is the feature `name=value`, and a target that is a string must be there.
    The class is often the last attribute: `target=-1`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.arff"
    >>> _ = file.write_text('''@relation weather
    ... @attribute outlook {sunny, rainy}
    ... @attribute humidity numeric
    ... @attribute play {yes, no}
    ... @data
    ... sunny, 85, no
    ... ?, 70, yes
    ... ''')
    >>> list(read_arff(file, target="play"))
    [({'outlook': 'sunny', 'humidity': 85.0}, 'no'), ({'outlook': None, 'humidity': 70.0}, 'yes')]
    """
    return arranged(ARFF(path, target, common), common)


@dataclass
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: int
    values: list[str] | None = None  # of a nominal one


def changed(before: list[Attribute], now: list[Attribute]) -> str:
    """What is different in the header of another file."""
    names = difference([one.name for one in now], [one.name for one in before])
    odd = [new.name for old, new in zip(before, now, strict=False) if old != new]
    return names or f"{quoted(odd)} stand elsewhere or have other values"


class ARFF(LineReader):
    """The stream that `read_arff` makes."""

    _who = "read_arff"
    _attributes: list[Attribute] | None = None  # of the first file

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        self._attributes = None
        return super()._blocks(tally)

    def _file(self, name: str, blocks: Iterator[Lines], tally: Tally) -> Iterator[Block]:
        header = Header(name)
        reading: Rows | None = None
        rejected = tally.rejected
        for lines in blocks:
            rest = lines if header.done else header.read(lines)
            if rest is None:
                continue
            if reading is None:
                chosen = self._choose(name, header.attributes)
                reading = Rows(header.attributes, chosen, is_sparse(rest.data))
            yield from reading.blocks(rest, tally)
        lost = tally.rejected > rejected  # lines, among them perhaps @data
        if not header.done and not lost and not tally.stop.requested:
            raise ValueError(f"{name}: there is no @data line.")

    def _choose(self, name: str, attributes: list[Attribute]) -> ColumnChoice:
        """The columns that matter; all files have the same."""
        if self._attributes is not None and self._attributes != attributes:
            raise ValueError(
                f"{name}: its attributes differ from those of {self.files[0]}: "
                f"{changed(self._attributes, attributes)}. ARFF files that are read together must "
                f"have the same header; read this file by itself."
            )
        self._attributes = attributes
        return self.columns.choose(name, [attribute.name for attribute in attributes])


class Header:
    """Reads the lines before the data."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.attributes: list[Attribute] = []
        self.done = False

    def read(self, lines: Lines) -> Lines | None:
        """The lines after @data; None if it has not come yet."""
        data, at, number = lines.data, 0, lines.first
        while at < len(data):
            end = data.find(b"\n", at) + 1
            try:
                line = data[at:end].decode().strip().lstrip("\ufeff")
            except UnicodeDecodeError:
                raise self.error(number, "the text is not valid UTF-8") from None
            at, number = end, number + 1
            word = line.lower()
            if word.startswith("@attribute"):
                self.attributes.append(self.attribute(number - 1, line))
            elif word == "@data":
                if not self.attributes:
                    raise self.error(number - 1, "there is no @attribute before @data")
                self.done = True
                rest = bytearray(data[at:])
                return Lines(rest, len(rest), number, lines.done) if rest else None
            elif line and not line.startswith("%") and not word.startswith("@relation"):
                raise self.error(number - 1, f"{line[:60]!r} is no line of an ARFF header")
        return None

    def error(self, number: int, why: str) -> ValueError:
        """What is wrong in the header."""
        return ValueError(f"{at_line(self.name, number)}: {why}")

    def attribute(self, number: int, line: str) -> Attribute:
        """One @attribute line."""
        found = ATTRIBUTE.match(line)
        if not found:
            raise self.error(number, f"{line[:60]!r} declares no attribute")
        name = next(
            plain(text) if i < 2 else text
            for i, text in enumerate(found.group(1, 2, 3))
            if text is not None
        )
        kind = found[4].strip()
        if kind.startswith("{"):
            if not kind.endswith("}"):
                raise self.error(number, f'attribute "{name}": the values need a closing brace')
            return Attribute(name, NOMINAL, self.values(number, name, kind[1:-1]))
        word = kind.lower().split()[0] if kind else ""
        if word in ("numeric", "real", "integer"):
            return Attribute(name, NUMERIC)
        if word in ("string", "date"):
            return Attribute(name, TEXT)
        raise self.error(
            number,
            f'attribute "{name}": the type {kind[:40]!r} is not numeric, a list of values, '
            f"string or date",
        )

    def values(self, number: int, name: str, text: str) -> list[str]:
        """The declared values of a nominal attribute."""
        found = []
        at = 0
        text = text.strip()
        while at < len(text):
            match = VALUE.match(text, at)
            if not match or match.end() == at:
                raise self.error(number, f'attribute "{name}": the list of values is broken')
            quoted = match[1] if match[1] is not None else match[2]
            found.append(plain(quoted) if quoted is not None else match[3].strip())
            at = match.end()
        return found


def plain(quoted: str) -> str:
    """A quoted text without its backslashes."""
    return unescaped(quoted.encode())


def is_sparse(data: bytes) -> bool:
    """Say whether the first row is written in braces."""
    for line in data.split(b"\n"):
        text = line.strip()
        if text and not text.startswith(b"%"):
            return text.startswith(b"{")
    return False


class Rows:
    """Turns data lines into blocks."""

    def __init__(self, attributes: list[Attribute], chosen: ColumnChoice, sparse: bool) -> None:
        self.attributes = attributes
        self.chosen = chosen
        self.sparse = sparse
        roles = dict.fromkeys(chosen.features, FEATURE)
        roles |= {n: r for n, r in ((chosen.target, TARGET), (chosen.weight, WEIGHT)) if n}
        self.parser = ARFFText(
            [attribute.name.encode() for attribute in attributes],
            [attribute.kind for attribute in attributes],
            [roles.get(attribute.name, UNUSED) for attribute in attributes],
            [
                None if attribute.values is None else [v.encode() for v in attribute.values]
                for attribute in attributes
            ],
            sparse,
        )

    def blocks(self, lines: Lines, tally: Tally) -> Iterator[Block]:
        """The rows of some lines; those before an error first."""
        strict = tally.on_error == "raise"
        if self.sparse:
            X, y, w, rejects = self.parser.parse_sparse(lines.buffer, lines.size, strict)
            made = iter([self._labelled(X, y, w)])
        else:
            cells, texts, rejects = self.parser.parse_dense(lines.buffer, lines.size, strict)
            made = self._tables(cells, texts, lines, rejects, tally)
        yield from made
        for line, text, why in rejects:
            tally.reject(at_line(self.chosen.source, lines.first + line), why, text)

    def _labelled(self, X: Any, y: Any, w: Any) -> Block:
        """A sparse block with its targets."""
        target = None
        for attribute in self.attributes:
            if attribute.name == self.chosen.target:
                target = y
                if attribute.values is not None:
                    target = np.array(attribute.values, dtype=object)[y.astype(np.int64)]
        if self.chosen.weight is None:
            return X, target
        return X, target, np.ones(len(X)) if w is None else w

    def _tables(
        self, cells: Any, texts: list[str], lines: Lines, rejects: Any, tally: Tally
    ) -> Iterator[Block]:
        """Dense rows as a table, the target and the weight taken out of it."""
        import pyarrow as pa

        columns = {}
        wanted = set(self.chosen.all)
        for j, attribute in enumerate(self.attributes):
            if attribute.name not in wanted:
                continue
            column = cells[:, j]
            missing = np.isnan(column)
            if attribute.kind == NUMERIC:
                columns[attribute.name] = pa.array(column, mask=missing)
                continue
            codes = pa.array(np.where(missing, 0, column).astype(np.int32), mask=missing)
            known = texts if attribute.kind == TEXT else attribute.values
            coded = pa.DictionaryArray.from_arrays(codes, pa.array(known, pa.string()))
            columns[attribute.name] = coded.cast(pa.string())
        table = pa.table(columns)
        bad = {line for line, _, _ in rejects}

        def place(row: int, column: Any) -> Place:
            return at_line(
                self.chosen.source, lines.first + line_number(lines.data, row, bad), column
            )

        def text(row: int) -> bytes:
            return lines.data.split(b"\n")[line_number(lines.data, row, bad)]

        yield from self.chosen.blocks(table, tally, place, text)


def line_number(data: bytes, row: int, bad: set[int]) -> int:
    """The line (from 0) that a row stands on."""
    for i, line in enumerate(data.split(b"\n")):
        bare = line.strip(b" \t\r")
        if i in bad or not bare or bare.startswith(b"%"):
            continue
        if row == 0:
            return i
        row -= 1
    return 0
