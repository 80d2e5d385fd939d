"""CSV and TSV files."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Block
from .columns import Chosen, Columns
from .files import LONGEST, Bytes, Lines, PathLike, line_blocks, suffix
from .lines import Grammar, Piece, Text, attempt, parsed
from .reader import Reader, arranged
from .recoded import Recoded, plain_encoding
from .rejects import Tally, at_line
from .stream import Stream

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
WORDS = {"double": "a number", "int64": "a whole number", "bool": "true or false"}
GUESSED = 1000  # lines that the types are guessed from
NUMERIC = 0.9  # a column is numeric if this share of its values is
UTF8 = ("utf-8", "utf-8-sig")  # a mark at the beginning is passed over anyway
WHOLE = re.compile(rb"\s*[+-]?\d+\s*")
CODE = re.compile(rb"\s*0\d\d+\s*")  # 01234; 07 may well be a month
CONVERSION = re.compile(r"In CSV column #(\d+):.*?conversion error to (\w+).*?'(.*)'", re.DOTALL)
ARITY = re.compile(r"Expected (\d+) columns, got (\d+)")


def read_csv(
    path: PathLike | list[PathLike],
    target: str | int | None = None,
    *,
    weight: str | int | None = None,
    drop: list[str] | str | None = None,
    only: list[str] | str | None = None,
    types: Mapping[str, type] | None = None,
    delimiter: str | None = None,
    header: bool | list[str] = True,
    missing: tuple[str, ...] = MISSING,
    decimal: str = ".",
    encoding: str = "utf-8",
    newlines_in_values: bool = False,
    skip: int = 0,
    limit: int | None = None,
    shuffle: int | None = None,
    seed: int = 0,
    epochs: int = 1,
    on_error: PathLike = "raise",
) -> Stream:
    r"""A stream of the rows of CSV or TSV files.

    The types of the columns are found out from the first 1000 lines and kept from then on:
    numbers (if 9 in 10 values are), true and false, or text (nominal values). A column with a
    code such as 01234 (three digits or more, a zero in front) is text. Features that are whole
    numbers may turn out to be fractions later; a target may not, unless `types` says so.

    Parameters
    ----------
    path : path, pattern such as "days/*.csv", list of them, or "-" for standard input
        Files ending in, or beginning like, .gz, .bz2 and .zst are decompressed. Several files
        must have the same columns.
    target, weight : name or number of a column
        What is to be learned, and how much each row counts. All other columns are features.
    drop, only : list of columns
        Features to leave out; or those to take.
    types : dict column to float, int, bool or str
        Where the guess from the first lines is wrong, such as `{"zip": str}`.
    delimiter : one character
        By default ",", tab for .tsv and .tab, and ";" where `decimal` is ",".
    header : bool or list of names, default True
        False: there is no first line with names, columns are "0", "1", ...
    missing : tuple of str
        Texts that mean a missing value.
    decimal : "." or ",", default "."
        What stands before the fraction of a number.
    encoding : str, default "utf-8"
        Such as "cp1252" (Windows), "latin-1" or "utf-16".
    newlines_in_values : bool, default False
        Quoted values may span lines. Errors then tell the first line of a row.
    skip, limit : int
        Rows to leave out at the beginning; rows to take at most.
    shuffle : int, default None
        Rows of a buffer for random order, from `seed`.
    epochs : int, default 1
        How many times to go over the files.
    on_error : "raise", "skip" or a path, default "raise"
        What to do with a line that cannot be read: a path collects such lines. `rejected` counts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "houses.csv"
    >>> _ = file.write_text("rooms,city,price\n3,Bonn,200\n5,Köln,410\n", encoding="utf-8")
    >>> for x, y in read_csv(file, target="price"):
    ...     print(x, y)
    {'rooms': 3.0, 'city': 'Bonn'} 200
    {'rooms': 5.0, 'city': 'Köln'} 410
    """
    stream = CSV(
        path,
        Columns("read_csv", target, weight, drop, only),
        types=types,
        delimiter=delimiter,
        header=header,
        missing=missing,
        decimal=decimal,
        encoding=encoding,
        newlines_in_values=newlines_in_values,
        on_error=on_error,
    )
    return arranged(stream, skip=skip, limit=limit, shuffle=shuffle, seed=seed, epochs=epochs)


class CSV(Reader):
    """The stream that `read_csv` makes."""

    def __init__(
        self,
        path: Any,
        columns: Columns,
        *,
        types: Mapping[str, type] | None,
        delimiter: str | None,
        header: bool | list[str],
        missing: tuple[str, ...],
        decimal: str,
        encoding: str,
        newlines_in_values: bool,
        on_error: Any,
    ) -> None:
        super().__init__(path, on_error=on_error)
        if decimal not in (".", ","):
            raise ValueError(f"read_csv: decimal must be '.' or ',', got {decimal!r:.80}.")
        self.decimal = decimal
        if delimiter is None:
            delimiter = ";" if decimal == "," else ","
            delimiter = "\t" if suffix(self.files[0]) in (".tsv", ".tab") else delimiter
        if len(str(delimiter).encode()) != 1:
            raise ValueError(f"read_csv: delimiter must be one character, got {delimiter!r:.80}.")
        self.columns = columns
        self.delimiter = delimiter
        self.header = header
        self.missing = list(missing)
        self.encoding = plain_encoding("read_csv", encoding)
        if not isinstance(newlines_in_values, bool):
            raise TypeError(
                f"read_csv: newlines_in_values must be True or False, "
                f"got {newlines_in_values!r:.80}."
            )
        self.newlines_in_values = newlines_in_values
        self.types = plain_types("read_csv", types)
        self.schema: Any = None  # found out from the first file, then enforced

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        self.schema = None
        done = 0
        for file in self.files:
            source = self._opened(file, tally)
            try:
                yield from self._file(source, done, tally)
            finally:
                done += source.done
                source.close()
            tally.bytes_done = done

    def _opened(self, file: str, tally: Tally) -> Bytes | Recoded:
        source = Bytes(file, tally.stop)
        return source if self.encoding in UTF8 else Recoded(source, self.encoding)

    def _file(self, source: Bytes | Recoded, before: int, tally: Tally) -> Iterator[Block]:
        chosen: Chosen | None = None
        names: list[str] = []
        blocks = line_blocks(source)
        if self.newlines_in_values:
            blocks = whole_rows(blocks, self.delimiter)
        for block in blocks:
            tally.bytes_done = before + block.done
            lines = Text(block.data, block.first)
            if block.problem:
                tally.reject(at_line(source.name, lines.first), block.problem, lines.data)
                continue
            if chosen is None:
                names, lines = self._names(source.name, lines)
                chosen = self.columns.choose(source.name, names)
                if self.schema is None and lines.data.strip(b" \t\r\n"):
                    self.schema = self._infer(source.name, names, chosen, lines.data)
                elif self.schema is not None:
                    self._same(source.name, chosen)
            if not lines.data:
                continue
            if self.schema is None:
                self.schema = self._infer(source.name, names, chosen, lines.data)
            yield from self._rows(source.name, names, chosen, lines, tally)
        if chosen is None and self.header is True and not tally.stop.told:
            raise ValueError(f"{source.name}: the file is empty; its first line must be a header.")

    def _names(self, name: str, lines: Text) -> tuple[list[str], Text]:
        """The names of the columns, and the lines after the header."""
        data, first = lines.data, lines.first
        if first == 1 and data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        end = data.find(b"\n") + 1
        try:
            head = next(csv.reader([data[:end].decode()], delimiter=self.delimiter), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(
                f"{at_line(name, first)}: the header cannot be read: {error}"
            ) from None
        if self.header is True:
            if any("\0" in word for word in head):
                raise ValueError(f"{at_line(name, first)}: this is not a text file.")
            return head, Text(data[end:], first + 1)
        if self.header is False:
            return [str(i) for i in range(len(head))], Text(data, first)
        return list(self.header), Text(data, first)

    def _options(self, names: list[str], schema: Any, include: list[str], size: int) -> Any:
        import pyarrow.csv as pc

        return {
            "read_options": pc.ReadOptions(
                column_names=names, use_threads=False, block_size=max(size + 1, 1 << 10)
            ),
            "parse_options": pc.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=self.newlines_in_values
            ),
            "convert_options": pc.ConvertOptions(
                column_types=schema,
                include_columns=include,
                null_values=self.missing,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                timestamp_parsers=["never"],
                decimal_point=self.decimal,
            ),
        }

    def _infer(self, name: str, names: list[str], chosen: Chosen, data: bytes) -> dict[str, Any]:
        """The types of the columns, from the first lines that can be read."""
        import pyarrow as pa
        import pyarrow.csv as pc

        for extra in self.types.keys() - set(names):
            raise ValueError(f'{name}: there is no column "{extra}" (types).')
        some = b"\n".join(data.split(b"\n", GUESSED)[:GUESSED]) + b"\n"
        raw = dict.fromkeys(chosen.all, pa.binary())
        options = self._options(names, raw, chosen.all, len(some))
        options["parse_options"].invalid_row_handler = lambda row: "skip"
        try:
            table = pc.read_csv(pa.BufferReader(some), **options)
        except pa.ArrowException:  # wild lines; `parsed` will say which
            table = pa.table({column: pa.array([], pa.binary()) for column in chosen.all})
        kinds = {}
        for column in chosen.all:
            kind = self.types.get(column)
            if kind is None and column in self.columns.expected.ids:
                kind = pa.string()
            if kind is None:
                kind = self.columns.expected.arrow(column)
            if kind is None:
                kind = guess(table.column(column).drop_null().to_pylist(), self.decimal)
                if pa.types.is_integer(kind) and column != chosen.target:
                    kind = pa.float64()
            kinds[column] = kind
        return kinds

    def _same(self, name: str, chosen: Chosen) -> None:
        if set(chosen.all) != set(self.schema):
            odd = sorted(set(chosen.all) ^ set(self.schema))[0]
            raise ValueError(
                f'{name}: its columns differ from those of {self.files[0]}: see "{odd}".'
            )

    def _rows(
        self, name: str, names: list[str], chosen: Chosen, lines: Text, tally: Tally
    ) -> Iterator[Block]:
        grammar = CSVGrammar(self, names)
        parse = spanning if self.newlines_in_values else parsed
        for piece in parse(lines, grammar, tally, name):

            def place(row: int, column: Any, piece: Piece = piece) -> str:
                return at_line(name, piece.numbers[row], column)

            def text(row: int, piece: Piece = piece) -> bytes:
                return piece.line(row)

            yield from chosen.blocks(piece.table, tally, place, text)


@dataclass
class Spans(Piece):
    """A table whose rows stand on one or more lines each."""

    texts: Sequence[bytes]

    def line(self, row: int) -> bytes:
        """The lines of a row."""
        return self.texts[row]


def spanning(lines: Text, grammar: "CSVGrammar", tally: Tally, name: str) -> Iterator[Piece]:
    """The same as `parsed` where a row goes on as long as a quote is open."""
    texts: list[bytes] = []
    numbers: list[int] = []
    held: list[bytes] = []
    inside = False
    for number, line in enumerate(lines.data.split(b"\n")[:-1], lines.first):
        if not held:
            if not line.strip(b" \t\r"):
                continue  # as Arrow does
            numbers.append(number)
        held.append(line + b"\n")
        inside = quote_open(line, inside, grammar.file.delimiter)
        if not inside:
            texts.append(b"".join(held))
            held = []
    if held:
        texts.append(b"".join(held))
    stack = [(0, len(texts))]
    while stack:
        start, stop = stack.pop()
        data = b"".join(texts[start:stop])
        table, reason = attempt(grammar, data, stop - start)
        if table is not None:
            yield Spans(table, data, numbers[start:stop], texts[start:stop])
        elif stop - start > 1:
            half = (start + stop) // 2
            stack += [(half, stop), (start, half)]
        elif data:
            column, why = grammar.explain(data, reason)
            tally.reject(at_line(name, numbers[start], column), why, data)


def whole_rows(blocks: Iterator[Lines], delimiter: str) -> Iterator[Lines]:
    """Blocks that end where no quote is open; or where one is open for too long."""
    held, first, inside = bytearray(), 1, False
    done = 0
    for lines in blocks:
        if lines.problem:
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
    opening = re.compile(rb"(?:^|\n|" + re.escape(delimiter.encode()) + rb')"')
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


def guess(values: list[bytes], decimal: str = ".") -> Any:
    """The Arrow type of a column: whole numbers, numbers, bools, or text.

    One bad value among many numbers is to become an error, not to make them all text. A whole
    number of three digits and more with a zero in front is a code such as 01234, which would lose
    its zero.
    """
    import pyarrow as pa

    if not values:
        return pa.float64()
    if all(value.lower() in (b"true", b"false") for value in values):
        return pa.bool_()
    if any(CODE.fullmatch(value) for value in values):
        return pa.string()
    numbers = [value for value in values if is_float(value, decimal)]
    if len(numbers) < NUMERIC * len(values):
        return pa.string()
    whole = all(WHOLE.fullmatch(value) for value in numbers)
    return pa.int64() if whole else pa.float64()


def is_float(value: bytes, decimal: str = ".") -> bool:
    """Say whether a text is a number."""
    if decimal != ".":
        if b"." in value:
            return False
        value = value.replace(decimal.encode(), b".")
    try:
        float(value)
    except ValueError:
        return False
    return b"_" not in value


class CSVGrammar(Grammar):
    """What a line of a CSV file is, its types being known."""

    def __init__(self, file: CSV, names: list[str]) -> None:
        self.file = file
        self.names = names

    def parse(self, data: bytes) -> Any:
        """A table of these lines."""
        import pyarrow as pa
        import pyarrow.csv as pc

        schema = self.file.schema
        options = self.file._options(self.names, schema, list(schema), len(data))
        return pc.read_csv(pa.BufferReader(data), **options)

    def doubled(self, data: bytes) -> bool:
        """A lone carriage return ends a row, too."""
        return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")

    def flaw(self, line: bytes) -> tuple[Any, str] | None:
        """What is surely wrong: the number of columns, or a text that cannot be a number."""
        if not line.strip(b" \t\r"):
            return None, "the line is blank"
        if b'"' in line or b"\r" in line[:-1]:
            return None  # let Arrow say
        row = line.rstrip(b"\r").split(self.file.delimiter.encode())
        if len(row) != len(self.names):
            return None, self.wrong_arity(len(self.names), len(row))
        for name, value in zip(self.names, row, strict=True):
            kind = str(self.file.schema.get(name))
            if (
                kind == "double"
                and value[:1] not in b"nNiI+-"
                and not is_float(value, self.file.decimal)
            ):
                text = value.decode(errors="replace")
                if text not in self.file.missing:
                    return name, self.wrong_type(text, kind)
        return None

    def wrong_arity(self, expected: Any, got: Any) -> str:
        """The reason for a wrong number of columns."""
        return f"{expected} columns are expected, there are {got}"

    def wrong_type(self, text: str, kind: str) -> str:
        """The reason for a value of the wrong type."""
        wanted = WORDS.get(kind, kind)
        other = "has fractions, say float" if kind == "int64" else "is text, say so"
        return f"{text[:60]!r} is not {wanted}; if the column {other} in types"

    def wrong_text(self) -> str:
        """The reason for bytes that are no text."""
        return not_text(self.file.encoding)

    def explain(self, line: bytes, reason: str) -> tuple[Any, str]:
        """The column and the reason why Arrow could not read a line."""
        found = CONVERSION.search(reason)
        if found:
            column = int(found[1])
            name = self.names[column] if column < len(self.names) else column
            if "UTF8" in reason:
                return name, self.wrong_text()
            return name, self.wrong_type(found[3], found[2])
        if "UTF8" in reason:
            return None, self.wrong_text()
        found = ARITY.search(reason)
        if found:
            quoted = line.count(b'"') % 2
            hint = "; a quote is never closed (see newlines_in_values)" if quoted else ""
            return None, self.wrong_arity(found[1], found[2]) + hint
        return None, reason[:200] or "the line cannot be read"


def not_text(encoding: str) -> str:
    """The reason for bytes that are no text of an encoding."""
    if encoding not in UTF8:
        return f"the text is not valid {encoding}"
    return (
        "the text is not valid UTF-8; if the file has another encoding, name it, such as "
        "encoding='cp1252' (--encoding cp1252)"
    )


def plain_types(who: str, types: Mapping[str, type] | None) -> dict[str, Any]:
    """Python's types as those of Arrow."""
    import pyarrow as pa

    known = {float: pa.float64(), int: pa.int64(), bool: pa.bool_(), str: pa.string()}
    for column, kind in (types or {}).items():
        if kind not in known:
            raise ValueError(
                f"{who}: types must give float, int, bool or str for each column, "
                f'got {kind!r:.80} for "{column}".'
            )
    return {column: known[kind] for column, kind in (types or {}).items()}
