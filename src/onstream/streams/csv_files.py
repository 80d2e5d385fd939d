"""CSV and TSV files."""

import csv
import os
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from ..base.blocks import Block
from .columns import ColumnChoice, differing
from .csv_rows import (
    UTF8,
    CSVGrammar,
    Format,
    never_closed,
    not_text,
    other_delimiter,
    quote_open,
    rows_of,
    whole_rows,
)
from .csv_types import are_values, coerce_types, doubt, guess
from .files import Bytes, Lines, PathLike, line_blocks, suffix
from .lines import Text
from .options import TableOptions, with_common_options
from .reader import LineReader, arranged
from .recoded import Recoded, coerce_encoding
from .rejects import Tally, at_line
from .stream import Stream

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
NO_DELIMITERS = ('"', "\n", "\r", "\0")
GUESSED = 1000  # lines that the types are guessed from
OTHERS = {  # how files of other formats begin: what they are, what to do
    b"PAR1": ("a Parquet file", "read it with read_parquet (--format parquet)"),
    b"ARROW1": ("an Arrow file", "read it with read_ipc (--format ipc)"),
    b"PK\x03\x04": (
        "a ZIP archive, as a workbook of Excel is one, too",
        "unpack it, or save the sheet as CSV",
    ),
}


@with_common_options
def read_csv(
    path: PathLike | list[PathLike],
    target: str | int | None = None,
    *,
    types: Mapping[str, type] | None = None,
    delimiter: str | None = None,
    header: bool | list[str] = True,
    missing: tuple[str, ...] = MISSING,
    decimal: str = ".",
    encoding: str = "utf-8",
    newlines_in_values: bool = False,
    **common: Unpack[TableOptions],
) -> Stream:
    r"""A stream of the rows of CSV or TSV files.

    The types of the columns are found out from the first 1000 lines and kept from then on:
    numbers (if 9 in 10 values are), true and false, or text (nominal values). A column with a
    code such as 01234 (three digits or more, a zero in front) is text, and so are dates: every
    one would be a feature of its own. Features that are whole numbers may turn out to be fractions
    later; a target may not, unless `types` says so.

    Parameters
    ----------
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
        target,
        common,
        types=types,
        delimiter=delimiter,
        header=header,
        missing=missing,
        decimal=decimal,
        encoding=encoding,
        newlines_in_values=newlines_in_values,
    )
    return arranged(stream, common)


class CSV(LineReader):
    """The stream that `read_csv` makes."""

    _who = "read_csv"

    def __init__(
        self,
        path: Any,
        target: Any,
        options: Mapping[str, Any],
        *,
        types: Mapping[str, type] | None,
        delimiter: str | None,
        header: bool | list[str],
        missing: tuple[str, ...],
        decimal: str,
        encoding: str,
        newlines_in_values: bool,
    ) -> None:
        super().__init__(path, target, options)
        if decimal not in (".", ","):
            raise ValueError(f"read_csv: decimal must be '.' or ',', got {decimal!r:.80}.")
        self.insisted = delimiter is not None  # on a delimiter, even if it looks wrong
        if delimiter is None:
            delimiter = ";" if decimal == "," else ","
            delimiter = "\t" if suffix(self.files[0]) in (".tsv", ".tab") else delimiter
        if len(str(delimiter).encode()) != 1:
            raise ValueError(f"read_csv: delimiter must be one character, got {delimiter!r:.80}.")
        if delimiter in NO_DELIMITERS:
            raise ValueError(
                f"read_csv: delimiter must be one character that is neither a quote nor the end of "
                f"a line, got {delimiter!r}."
            )
        if not isinstance(newlines_in_values, bool):
            raise TypeError(
                f"read_csv: newlines_in_values must be True or False, "
                f"got {newlines_in_values!r:.80}."
            )
        self.format = Format(
            delimiter,
            decimal,
            coerce_encoding("read_csv", encoding),
            coerce_missing(missing),
            newlines_in_values,
        )
        self.header = coerce_header(header)
        self.types = coerce_types("read_csv", types)
        self.schema: dict[str, Any] | None = None  # from the first lines, then enforced

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        self.schema = None
        return super()._blocks(tally)

    def _opened(self, file: str, tally: Tally) -> Any:
        if os.path.isfile(file):  # a pipe can be read only once
            refuse_others(file)
        return super()._opened(file, tally)

    def _lines(self, source: Bytes) -> Iterator[Lines]:
        encoding = self.format.encoding
        blocks = line_blocks(source if encoding in UTF8 else Recoded(source, encoding))
        if self.format.newlines_in_values:
            return whole_rows(blocks, self.format.delimiter)
        return blocks

    def _file(self, name: str, blocks: Iterator[Lines], tally: Tally) -> Iterator[Block]:
        names: list[str] | None = None
        chosen: ColumnChoice | None = None
        rejected = tally.rejected
        for block in blocks:
            lines = Text(block.data, block.first, block.cut)
            if names is None or chosen is None:
                names, lines = self._names(name, lines)
                if names is None:
                    continue
                chosen = self._choose(name, names)
                if self.header is True and "" in chosen.features:
                    tally.warnings.append(
                        f"{name}: column {names.index('') + 1} has no name; if it is the "
                        f"index of a data frame, leave it out by drop=[''] (--drop '')."
                    )
            if not lines.data:
                continue
            if self.schema is None:
                self.schema = self._infer(name, names, chosen, lines, tally)
            yield from self._rows(name, names, chosen, lines, tally)
        empty = names is None and tally.rejected == rejected
        if empty and self.header is True and not tally.stop.requested:
            raise ValueError(f"{name}: the file is empty; its first line must be a header.")

    def _names(self, name: str, lines: Text) -> tuple[list[str] | None, Text]:
        """The names of the columns, and the lines after the header; None if it has not come yet."""
        data, first = lines.data, lines.first
        blanks = " \t\r".replace(self.format.delimiter, "").encode()
        at = 0
        while not data[at : data.find(b"\n", at)].strip(blanks):  # blank lines decide nothing
            at, first = data.find(b"\n", at) + 1, first + 1
            if at == len(data):
                return None, lines
        end = data.find(b"\n", at) + 1
        while quote_open(data[at:end], False, self.format.delimiter):
            if not self.format.newlines_in_values or end == len(data):
                if self.header is True:
                    why = lines.cut or never_closed(self.format, " in the header")
                    raise ValueError(f"{at_line(name, first)}: {why}")
                break
            end = data.find(b"\n", end) + 1
        rest = Text(data[at:], first, lines.cut)
        if self.header is not True and self.header is not False:
            return self.header, rest
        try:
            head = split(data[at:end].decode(), self.format.delimiter)
        except UnicodeDecodeError:
            why = not_text(self.format.encoding)
            raise ValueError(f"{at_line(name, first)}: {why}") from None
        except csv.Error as error:
            why = f"the line cannot be read: {error}"
            if b"\r" in data[at:end].rstrip(b"\r\n"):
                why = "the lines end in carriage returns alone; make newlines of them first"
            raise ValueError(f"{at_line(name, first)}: {why}") from None
        if any("\0" in word for word in head):
            raise ValueError(
                f"{at_line(name, first)}: this is not a text file; if it is UTF-16, say "
                f"encoding='utf-16' (--encoding utf-16)."
            )
        hint = other_delimiter(head[0], self.format.delimiter) if len(head) == 1 else ""
        if hint and not self.insisted:
            raise ValueError(
                f"{at_line(name, first)}: there is one column, {head[0]!r:.80}; {hint}"
            )
        if self.header is False:
            return [str(i) for i in range(len(head))], rest
        return head, Text(data[end:], first + data.count(b"\n", at, end), lines.cut)

    def _choose(self, name: str, names: list[str]) -> ColumnChoice:
        """The columns that matter; they are the same in all files."""
        try:
            chosen = self.columns.choose(name, names)
            for extra in self.types.keys() - set(names):
                raise ValueError(f'{name}: there is no column "{extra}" (types).')
        except ValueError as error:
            if self.header is not True or not are_values(names, self.format.decimal):
                raise
            raise ValueError(
                f"{error} The first line looks like values, not names; if the file has no header, "
                f'say header=False (--no-header): columns are then called "0", "1", ...'
            ) from None
        if self.schema is not None and set(chosen.all) != set(self.schema):
            raise ValueError(differing(name, self.files[0], chosen.all, list(self.schema)))
        return chosen

    def _infer(
        self, name: str, names: list[str], chosen: ColumnChoice, lines: Text, tally: Tally
    ) -> dict[str, Any] | None:
        """The types of the columns, from the first lines that can be read; None if none can."""
        import pyarrow as pa

        raw = CSVGrammar(self.format, names, dict.fromkeys(chosen.all, pa.binary()))
        tables: list[Any] = []
        at = 0
        while not tables and at < len(lines.data):
            end = at
            for _ in range(GUESSED):
                end = lines.data.find(b"\n", end) + 1 or len(lines.data)
            some = Text(lines.data[at:end], 1)
            tables = [piece.table for piece in rows_of(some, raw, Tally("skip"), name)]
            at = end
        if not tables:
            return None
        table = pa.concat_tables(tables)
        return {
            column: self._type(name, column, table.column(column), chosen, tally)
            for column in chosen.all
        }

    def _type(self, name: str, column: str, first: Any, chosen: ColumnChoice, tally: Tally) -> Any:
        """The type of a column: as the user or a model says, or as its first values look."""
        import pyarrow as pa

        if column in self.types:
            return self.types[column]
        if column in self.columns.expected.ids:
            return pa.string()
        known = self.columns.expected.arrow(column)
        if known is not None:
            return known
        values = first.drop_null().to_pylist()
        kind = guess(values, self.format.decimal)
        floats = column != chosen.target and not self.columns.expected.whole
        if pa.types.is_integer(kind) and floats:
            return pa.float64()
        if pa.types.is_string(kind):
            feature = column in chosen.features
            why = doubt(column, values, self.format.decimal, feature=feature)
            if why:
                tally.warnings.append(
                    f'{name}: column "{column}" is taken for text, {why}; if it is text, say so '
                    f"in types."
                )
        return kind

    def _rows(
        self, name: str, names: list[str], chosen: ColumnChoice, lines: Text, tally: Tally
    ) -> Iterator[Block]:
        import pyarrow as pa

        schema = self.schema or dict.fromkeys(chosen.all, pa.string())  # no line can be read
        for piece in rows_of(lines, CSVGrammar(self.format, names, schema), tally, name):
            yield from chosen.blocks(piece.table, tally, piece.place, piece.line)


def refuse_others(file: str) -> None:
    """Refuse a file whose first bytes are those of a format that is no text."""
    with open(file, "rb") as opened:
        head = opened.read(max(map(len, OTHERS)))
    for magic, (what, advice) in OTHERS.items():
        if head.startswith(magic):
            raise ValueError(f"{file}: this is {what}, whatever its name says: {advice}.")


def split(line: str, delimiter: str) -> list[str]:
    """The values of a line."""
    return next(csv.reader([line], delimiter=delimiter), [])


def coerce_header(header: Any) -> bool | list[str]:
    """Whether there is a header; or the names of the columns."""
    if isinstance(header, bool):
        return header
    named = isinstance(header, (list, tuple)) and all(isinstance(name, str) for name in header)
    if not named:
        raise TypeError(
            f"read_csv: header must be True, False (there is none) or a list of names, "
            f"got {header!r:.80}."
        )
    return list(header)


def coerce_missing(missing: Any) -> list[str]:
    """The texts for missing values; one may be given alone."""
    texts = [missing] if isinstance(missing, str) else missing
    if not isinstance(texts, (list, tuple, set)) or not all(isinstance(t, str) for t in texts):
        raise TypeError(f"read_csv: missing must be a tuple of texts, got {missing!r:.80}.")
    return list(texts)
