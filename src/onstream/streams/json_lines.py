"""JSON lines: one object per line."""

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import msgspec

from ..base.blocks import Block
from ..core.arrow_cells import numeric
from .columns import ColumnChoice, ColumnOptions, is_text
from .files import Lines, PathLike
from .lines import Grammar, Text, parsed
from .options import TableOptions, with_common_options
from .reader import LineReader, arranged
from .rejects import Tally
from .stream import Stream


@with_common_options
def read_jsonl(
    path: PathLike | list[PathLike],
    target: str | None = None,
    **common: Unpack[TableOptions],
) -> Stream:
    r"""A stream of JSON lines: each line an object of numbers, bools, strings and nulls.

    The type of a key is that of its first value; keys may come and go. Dates are text: every one
    would be a feature of its own.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mail.jsonl"
    >>> _ = file.write_text('{"free": 1, "spam": true}\n{"meeting": 2, "spam": false}\n')
    >>> list(read_jsonl(file, target="spam"))
    [({'free': 1.0, 'meeting': None}, True), ({'free': None, 'meeting': 2.0}, False)]
    """
    return arranged(JSONLines(path, target, common), common)


class JSONLines(LineReader):
    """The stream that `read_jsonl` makes."""

    _who = "read_jsonl"

    def __init__(self, path: Any, target: Any, options: Mapping[str, Any]) -> None:
        super().__init__(path, target, options)
        for word in ("target", "weight"):
            if isinstance(getattr(self.columns, word), int):
                raise TypeError(f"read_jsonl: {word} must be a key, got a number.")
        self.schema: dict[str, Any] = {}  # type of each key met so far
        self._check_known = False

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        expected = self.columns.expected
        self.schema = {key: expected.arrow(key) for key in expected.kinds if self._matters(key)}
        self._check_known = expected.closed and bool(self.schema)  # does the model know any key?
        return super()._blocks(tally)

    def _file(self, name: str, blocks: Iterator[Lines], tally: Tally) -> Iterator[Block]:
        for lines in blocks:
            text = Text(lines.data, lines.first)
            for piece in parsed(text, JSONGrammar(self), tally, name):
                table, chosen = self._complete(piece.table, name)
                yield from chosen.blocks(table, tally, piece.place, piece.line)

    def _parse(self, data: bytes) -> Any:
        """A table; keys that are new become known if all is well."""
        import pyarrow as pa
        import pyarrow.json as pj

        if data.isspace():
            return pa.table({})
        if not data.isascii():
            data.decode()  # Arrow would let bad bytes pass
        wanted = self._wanted()
        table = pj.read_json(
            io.BytesIO(data),
            read_options=pj.ReadOptions(use_threads=False, block_size=len(data) + 1024),
            parse_options=pj.ParseOptions(
                explicit_schema=pa.schema(list(self.schema.items())),
                unexpected_field_behavior="ignore" if wanted else "infer",
            ),
        )
        if not wanted and self._meet(table):
            return self._parse(data)
        columns = {}
        for field, column in zip(table.schema, table.columns, strict=True):
            kind = self.schema.get(field.name, field.type)
            same = field.type == kind
            columns[field.name] = column if same else column.cast(kind, safe=False)  # 2**60 + 1
        return pa.table(columns) if columns else table  # without columns there are rows, too

    def _wanted(self) -> bool:
        """Say whether all keys that matter are known, so that others can be ignored."""
        only = self.columns.only
        named = [*(only or []), self.columns.target, self.columns.weight]
        return only is not None and all(key is None or key in self.schema for key in named)

    def _meet(self, table: Any) -> bool:
        """Keys met for the first time: numbers are floats, but for the target.

        True if some were taken for dates, which are text: the lines must be read again.
        """
        import pyarrow as pa

        new = {}
        for field in table.schema:
            if field.name in self.schema or not self._matters(field.name):
                continue
            kind = field.type
            if numeric(kind):
                exact = (self.columns.target, *self.columns.expected.ids)
                as_is = field.name in exact or pa.types.is_boolean(kind)
                new[field.name] = kind if as_is else pa.float64()
            elif is_text(kind) or pa.types.is_timestamp(kind):
                new[field.name] = pa.string()
            elif not pa.types.is_null(kind):
                raise ValueError(f'column "{field.name}": a value is an object or a list')
        self.schema.update(new)
        return any(pa.types.is_timestamp(table.schema.field(key).type) for key in new)

    def _matters(self, key: str) -> bool:
        expected = self.columns.expected
        if key in (self.columns.target, self.columns.weight, *expected.ids):
            return True
        if expected.closed and expected.kinds and key not in expected.kinds:
            return False
        if self.columns.only is not None and key not in self.columns.only:
            return False
        return key not in self.columns.drop and expected.wants(key)

    def _complete(self, table: Any, name: str) -> tuple[Any, ColumnChoice]:
        """A table with target and weight, and its columns that count."""
        import pyarrow as pa

        expected = self.columns.expected
        if self._check_known and table.num_rows:
            self._check_known = False
            known = [key for key in table.column_names if key in expected.kinds]
            others = [key for key in table.column_names if key not in expected.kinds]
            if others and all(table.column(key).null_count == table.num_rows for key in known):
                expected.features(name, others)  # says that it knows none
        for key in (self.columns.target, self.columns.weight, *expected.ids):
            if key is None:
                continue
            nothing = pa.nulls(table.num_rows, self.schema.get(str(key), pa.float64()))
            at = table.schema.get_field_index(str(key))
            if at < 0:
                table = table.append_column(str(key), nothing)
            elif pa.types.is_null(table.schema.field(at).type):
                table = table.set_column(at, str(key), nothing)
        empty = {field.name for field in table.schema if pa.types.is_null(field.type)}
        empty -= set(expected.ids)
        names = [key for key in table.column_names if self._matters(key) and key not in empty]
        wanted = ColumnOptions("read_jsonl", self.columns.target, {"weight": self.columns.weight})
        return table, wanted.choose("", names)


class JSONGrammar(Grammar):
    """What a line of JSON is, some keys being known."""

    def __init__(self, file: JSONLines) -> None:
        self.file = file

    def parse(self, data: bytes, count: int) -> Any:
        """A table of these lines."""
        odd = FIRST.match(data) or LATER.search(data) or TWO.search(data)
        if odd or many_brackets(data, count):
            for line in data.split(b"\n"):
                why = no_object(line)
                if why and not self.blank(line):
                    raise ValueError(why)
        return self.file._parse(data)

    def flaw(self, line: bytes) -> tuple[Any, str] | None:
        """What is surely wrong: no JSON, no object, a value of another type."""
        if b"N" in line or b"I" in line:  # NaN and Infinity are for Arrow to judge
            return None
        column, why = self.explain(line, "")
        return (column, why) if why else None

    def explain(self, line: bytes, reason: str) -> tuple[Any, str]:
        """The key and the reason why a line could not be read."""
        import pyarrow as pa

        try:
            line.decode()
        except UnicodeDecodeError:
            return None, "the text is not valid UTF-8"
        why = no_object(line)
        if why:
            return None, why
        try:
            row = msgspec.json.decode(NO_NUMBER.sub(b"0.5", line))
        except (msgspec.MsgspecError, RecursionError) as error:
            return None, f"not valid JSON: {error!s:.120}"
        for key, value in row.items():
            kind = self.file.schema.get(key)
            if not self.file._matters(key) or value is None:
                continue
            if isinstance(value, (dict, list)):
                return key, "the value is an object or a list"
            if kind is None:
                continue
            if is_text(kind) != isinstance(value, str):
                wanted = "text" if is_text(kind) else "a number"
                return key, f"{value!r:.60} is not {wanted}"
            if pa.types.is_boolean(kind) != isinstance(value, bool):
                return key, f"{value!r:.60} is not {WORDS[pa.types.is_boolean(kind)]}"
            if pa.types.is_integer(kind) and isinstance(value, float):
                hint = "write 3.0 for 3 if there are fractions"
                return key, f"{value!r} is not a whole number, as the targets before; {hint}"
        return None, reason[:200]


NO_BRACE = rb"[ \t\r]*[^{ \t\r\n]"  # at the beginning of a line
FIRST = re.compile(NO_BRACE)
LATER = re.compile(rb"\n" + NO_BRACE)
TWO = re.compile(rb"\}[ \t\r]*[^,}\] \t\r\n]")  # something after an object; or part of a text
DEEPEST = 64  # brackets within brackets
STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
BRACKETS = re.compile(rb"[\[\]{}]")
NO_NUMBER = re.compile(rb"\b(?:NaN|Inf(?:inity)?)\b")  # Arrow knows them, JSON does not
ONE_VALUE = msgspec.json.Decoder(msgspec.Raw)
WORDS = {True: "true or false", False: "a number"}
OTHERS = {b"[": "an array", b'"': "text", b"n": "null", b"t": "true", b"f": "false"}


def many_brackets(data: bytes, count: int) -> bool:
    """Say whether `count` lines may hold values that are deeply nested."""
    return b"[" in data or data.count(b"{") > count + DEEPEST


def no_object(line: bytes) -> str:
    """Why a line is not one object that Arrow can be given: it crashes on some."""
    line = line.strip(b" \t\r\n")
    if line[:1] != b"{":
        if line[:1] not in OTHERS and line[:1] not in b"-0123456789":
            return 'not valid JSON: a line must be an object, such as {"a": 1}'
        what = OTHERS.get(line[:1], "a number")
        hint = "; make lines of an array with jq -c '.[]'" if what == "an array" else ""
        return f"a line must be an object, not {what}{hint}"
    if line.count(b"[") + line.count(b"{") > DEEPEST and too_deep(line):
        return f"values are nested deeper than {DEEPEST}"
    if b"N" in line or b"I" in line:
        line = NO_NUMBER.sub(b"0", line)
    try:
        ONE_VALUE.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        if "truncated" in str(error) and not line.endswith(b"}"):
            return "not valid JSON: the object does not end on its line"
        return f"not valid JSON: {error!s:.120}"
    return ""


def too_deep(line: bytes) -> bool:
    """Say whether brackets are nested too deep."""
    level = 0
    for bracket in BRACKETS.finditer(STRINGS.sub(b"", line)):
        level += 1 if bracket[0] in b"[{" else -1
        if level > DEEPEST:
            return True
    return False
