"""Examples of an Arrow IPC stream from whoever sends one: nothing in it is believed unchecked.

Arrow trusts what it reads: offsets may point outside of buffers, buffers may be compressed a
thousandfold, a dictionary or a repeated buffer may stand for more values than fit into memory.
"""

import struct
from typing import Any

import msgspec

from .example import Refused, TooLarge, unreadable

COLUMNS = ("y", "w", "id", "source")  # of the table; every other one is a feature
MOST_CELLS = 1_000_000  # of 1 MB of JSON, about a fifth could be
MOST_TEXT = 8 << 20
FILE = b"ARROW1"  # with which Arrow's file format begins
DICTIONARY, RECORDS = 2, 3  # kinds of messages (Arrow's Message.fbs)


def from_arrow(one: Any, body: bytes) -> list[Any]:
    """Examples of this type; nulls are missing values."""
    import pyarrow as pa

    if body.startswith(FILE):
        raise Refused(
            "this is Arrow's file format (Feather), not a stream", "",
            "Write it with pyarrow.ipc.new_stream, or polars' write_ipc_stream.",
        )  # fmt: skip
    examples: list[Any] = []
    try:
        check_compression(body)
        cells = text = 0
        with pa.ipc.open_stream(body) as batches:
            check_columns(batches.schema)
            for batch in batches:
                cells += batch.num_rows * (1 + batch.num_columns)
                if cells > MOST_CELLS:
                    raise TooLarge(f"the table has {cells:,} cells", "", f"{MOST_CELLS:,} at most.")
                batch.validate(full=True)
                text += sum(map(text_of, batch.columns))
                if text > MOST_TEXT:
                    raise TooLarge(f"the texts have {text:,} bytes", "", f"{MOST_TEXT:,} at most.")
                examples += rows(one, batch, len(examples))
    except Refused:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:
        raise Refused(
            f"no Arrow stream: {error!s:.100}", "", "Write it with pyarrow.ipc."
        ) from None
    return examples


def rows(one: Any, batch: Any, before: int) -> list[Any]:
    """The rows of a batch as examples, of which so many came before."""
    names = [name for name in batch.schema.names if name not in COLUMNS]
    own = [name for name in batch.schema.names if name in one.__struct_fields__ and name != "x"]
    features = batch.select(names).to_pylist() if names else [{}] * batch.num_rows
    facts = batch.select(own).to_pylist() if own else [{}] * batch.num_rows
    found = []
    for x, fact in zip(features, facts, strict=True):
        given = {"x": {k: v for k, v in x.items() if v is not None}, **fact}
        try:
            found.append(msgspec.convert(given, one))
        except msgspec.ValidationError as error:
            wrong = unreadable(error)
            place = f"examples[{before + len(found)}].{wrong.path}"
            raise Refused(str(wrong), place, wrong.hint) from None
    return found


def check_columns(schema: Any) -> None:
    """Refuse names that are there twice, and types that are no values of features."""
    import pyarrow.types as t

    if len(set(schema.names)) < len(schema.names):
        raise Refused("two columns have one name", "", "Give each a name of its own.")
    for field in schema:
        kind = field.type.value_type if t.is_dictionary(field.type) else field.type
        plain = (
            t.is_boolean, t.is_integer, t.is_floating, t.is_string, t.is_large_string, t.is_null
        )  # fmt: skip
        if not any(is_kind(kind) for is_kind in plain):
            raise Refused(
                f"a column of type {field.type!s:.60}", f"{field.name:.64}",
                "Use numbers, booleans or strings.",
            )  # fmt: skip


def text_of(column: Any) -> int:
    """Bytes of text, each value of a dictionary counted as often as it may be meant."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as t

    if t.is_dictionary(column.type):
        longest = text_of(column.dictionary)
        return longest * len(column) if longest * len(column) <= MOST_TEXT else longest_of(column)
    if not (t.is_string(column.type) or t.is_large_string(column.type)):
        return 0
    return int(pc.sum(pc.binary_length(column).cast(pa.int64())).as_py() or 0)


def longest_of(column: Any) -> int:
    """The longest value of a dictionary, as often as there are rows."""
    import pyarrow.compute as pc

    return int(pc.max(pc.binary_length(column.dictionary)).as_py() or 0) * len(column)


def check_compression(body: bytes) -> None:
    """Refuse compressed buffers: how large they become is known only when they are unpacked."""
    import pyarrow as pa

    with pa.BufferReader(body) as source:
        while source.tell() < len(body):
            try:
                message = pa.ipc.read_message(source)
            except EOFError:  # the mark at the end of a stream
                return
            if is_compressed(message.metadata.to_pybytes()):
                raise Refused(
                    "the Arrow stream has compressed buffers", "",
                    "Write it without compression; Content-Encoding: gzip is taken.",
                )  # fmt: skip


def is_compressed(metadata: bytes) -> bool:
    """Say whether a message has the field `compression` (a flatbuffer, read by its offsets)."""

    def field(table: int, number: int) -> int:
        """Where a field of a table stands; 0: nowhere."""
        (back,) = struct.unpack_from("<i", metadata, table)
        (size,) = struct.unpack_from("<H", metadata, table - back)
        place = 4 + 2 * number
        return struct.unpack_from("<H", metadata, table - back + place)[0] if place < size else 0

    def follow(at: int) -> int:
        return at + struct.unpack_from("<I", metadata, at)[0]

    try:
        message = follow(0)
        kind = field(message, 1)
        header = field(message, 2)
        if not kind or not header or metadata[message + kind] not in (DICTIONARY, RECORDS):
            return False
        records = follow(message + header)
        if metadata[message + kind] == DICTIONARY:
            data = field(records, 1)
            if not data:
                return False
            records = follow(records + data)
        return field(records, 3) != 0
    except (struct.error, IndexError):
        raise Refused("no Arrow stream: a message is damaged", "", "Write it again.") from None
