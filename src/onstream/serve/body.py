"""Bodies of requests: read within limits of size and time, then decoded and checked."""

import asyncio
import re
import zlib
from typing import Any, TypeVar

import msgspec

from .example import Example, Question, Refused, check_examples

T = TypeVar("T")
MOST_BYTES = 1 << 20
DISCARDED = 16 << 20  # read, but not kept: who is still sending would not see the answer
SECONDS = 5.0
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl")
ARROW = ("application/vnd.apache.arrow.stream",)
COLUMNS = ("y", "id", "source")  # of an Arrow table; every other one is a feature


class TooLarge(Refused):
    """The body, as sent or unpacked, is larger than allowed."""


class TooSlow(Refused):
    """The body did not arrive in time."""


class UnknownKind(Refused):
    """The body is of a kind that is not read here."""


class Learn(msgspec.Struct, forbid_unknown_fields=True):
    """Examples to learn."""

    examples: list[Example]


class Predict(msgspec.Struct, forbid_unknown_fields=True):
    """Examples to predict."""

    examples: list[Question]


class LateLabel(msgspec.Struct, forbid_unknown_fields=True):
    """The label of an example that was predicted under this id."""

    id: str
    y: float | int | bool | str | list[str | int]
    source: str | None = None


class Label(msgspec.Struct, forbid_unknown_fields=True):
    """Labels for earlier predictions."""

    examples: list[LateLabel]


class NewModel(msgspec.Struct, forbid_unknown_fields=True):
    """The text of a learner, such as PAClassifier(C=0.1)."""

    learner: str


class Rollback(msgspec.Struct, forbid_unknown_fields=True):
    """The state to go back to."""

    to_seq: int


class Replay(msgspec.Struct, forbid_unknown_fields=True):
    """The source that should never have spoken."""

    exclude_source: str


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """A token to be made."""

    name: str
    scopes: list[str]


DECODERS: dict[type, Any] = {
    kind: msgspec.json.Decoder(kind)
    for kind in (Learn, Predict, Label, NewModel, Rollback, Replay, NewToken)
}
LINES = {kind: msgspec.json.Decoder(kind) for kind in (Example, Question)}


async def read(receive: Any, headers: dict[bytes, bytes]) -> bytes:
    """The whole body, unpacked; too much of it or too slow a one is refused."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        parts, size = [body], len(body)
        try:
            async with asyncio.timeout(SECONDS):
                while message.get("more_body") and size <= DISCARDED:
                    message = await receive()
                    part = message.get("body", b"")
                    size += len(part)
                    if size <= MOST_BYTES:
                        parts.append(part)
        except TimeoutError:
            raise TooSlow(
                "the body did not arrive in time", "", f"Send it within {SECONDS} s."
            ) from None
        if size > MOST_BYTES:
            raise too_large()
        body = b"".join(parts)
    if len(body) > MOST_BYTES:
        raise too_large()
    coding = headers.get(b"content-encoding", b"identity").strip().lower()
    return body if coding == b"identity" else unpack(body, coding)


def too_large() -> TooLarge:
    """The body is larger than allowed."""
    return TooLarge(
        "the body is too large",
        "",
        f"At most {MOST_BYTES:,} bytes, unpacked; send smaller batches.",
    )


def unpack(body: bytes, coding: bytes) -> bytes:
    """A compressed body, but never more of it than is allowed."""
    if coding not in (b"gzip", b"deflate"):
        raise UnknownKind(f"content-encoding {coding.decode('latin-1')!r:.40}", "", "Use gzip.")
    unpacker = zlib.decompressobj(31 if coding == b"gzip" else 15)
    try:
        data = unpacker.decompress(body, MOST_BYTES + 1)
    except zlib.error:
        raise Refused("the body cannot be unpacked", "", "It is no whole gzip data.") from None
    if len(data) > MOST_BYTES:
        raise too_large()
    if not unpacker.eof:
        raise Refused("the compressed body is cut off", "", "Send all of it.")
    return data


def decode(kind: type[T], body: bytes) -> T:
    """The JSON of a request."""
    try:
        return DECODERS[kind].decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
        raise unreadable(error) from None


def unreadable(error: Exception) -> Refused:
    """What is wrong with JSON, and where."""
    text, _, place = str(error).partition(" - at `")
    path = re.sub(r"^\$\.?", "", place.rstrip("`"))
    return Refused(text[:200] or "the JSON is nested too deeply", path, "See /openapi.json.")


def decode_examples(kind: Any, body: bytes, content_type: str) -> list[Any]:
    """Examples to learn, or to predict, from JSON, lines of JSON, or an Arrow stream."""
    content_type = content_type.partition(";")[0].strip().lower()
    one = Example if kind is Learn else Question
    if content_type in ("", "application/json", "application/x-www-form-urlencoded"):
        examples = decode(kind, body).examples
    elif content_type in NDJSON:
        try:
            examples = LINES[one].decode_lines(body)
        except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
            raise unreadable(error) from None
    elif content_type in ARROW:
        examples = from_arrow(one, body)
    else:
        raise UnknownKind(
            f"content-type {content_type!r:.60}", "", f"Use JSON, {NDJSON[0]} or {ARROW[0]}."
        )
    if not examples:
        raise Refused("there are no examples", "examples", "Send at least one.")
    check_examples(examples)
    return examples


def from_arrow(one: Any, body: bytes) -> list[Any]:
    """Examples of an Arrow IPC stream; nulls are missing values."""
    import pyarrow as pa

    examples: list[Any] = []
    size = 0
    try:
        with pa.ipc.open_stream(body) as batches:
            for batch in batches:
                size += batch.nbytes
                if size > 8 * MOST_BYTES:
                    raise too_large()
                names = [n for n in batch.schema.names if n not in COLUMNS]
                own = [n for n in COLUMNS if n in batch.schema.names and n in one.__struct_fields__]
                features = batch.select(names).to_pylist() if names else [{}] * batch.num_rows
                facts = batch.select(own).to_pylist() if own else [{}] * batch.num_rows
                for x, fact in zip(features, facts, strict=True):
                    x = {name: value for name, value in x.items() if value is not None}
                    examples.append(msgspec.convert({"x": x, **fact}, one))
    except msgspec.ValidationError as error:
        raise unreadable(error) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(
            f"no Arrow stream: {error!s:.100}", "", "Write it with pyarrow.ipc."
        ) from None
    return examples
