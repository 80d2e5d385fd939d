"""Bodies of requests: read within limits of size and time, then decoded and checked."""

import asyncio
import zlib
from typing import Any, TypeVar

import msgspec

from ..core.number_frames import NumberFrame
from ._number_rows import read_numbers
from .arrow import from_arrow
from .example import (
    LONGEST_NAME,
    MOST_FEATURES,
    Example,
    Features,
    Question,
    Refused,
    TooLarge,
    check_examples,
    check_features,
    unreadable,
)

T = TypeVar("T")
MOST_BYTES = 1 << 20
DISCARDED = 16 << 20  # read, but not kept: who is still sending would not see the answer
SECONDS = 5.0
SEVERAL = 4096  # bytes: for fewer, dicts cost less than a frame
PLAIN = ("", "application/json", "application/x-www-form-urlencoded")
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl")
ARROW = ("application/vnd.apache.arrow.stream",)


class TooSlow(Refused):
    """The body did not arrive in time."""


class TooMany(Refused):
    """Others are sending too much at the moment."""


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
HINTS: dict[type[Any], str] = {  # how it is written
    Learn: '{"examples": [{"x": {"feature": 1.0}, "y": "label"}]}',
    Predict: '{"examples": [{"x": {"feature": 1.0}}]}',
    Label: '{"examples": [{"id": "of the predict", "y": "label"}]}',
    NewModel: '{"learner": "PAClassifier(C=0.1)"}',
    Rollback: '{"to_seq": 500}',
    Replay: '{"exclude_source": "name"}',
    NewToken: '{"name": "app", "scopes": ["predict"]}',
    Example: '{"x": {"feature": 1.0}, "y": "label"}',
    Question: '{"x": {"feature": 1.0}}',
}
FEATURES = msgspec.json.Decoder(Features)
LINES = {kind: msgspec.json.Decoder(kind) for kind in (Example, Question)}


class Room:
    """What all bodies that are being read may take together."""

    def __init__(self, size: int = 64 << 20) -> None:
        self.left = size

    async def read(self, receive: Any, headers: dict[bytes, bytes]) -> bytes:
        """The whole body, unpacked; too much of it or too slow a one is refused."""
        message = await receive()
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            body = await self.rest(receive, body)
        if len(body) > MOST_BYTES:
            raise too_large()
        coding = headers.get(b"content-encoding", b"identity").strip().lower()
        return body if coding == b"identity" else unpack(body, coding)

    async def rest(self, receive: Any, body: bytes) -> bytes:
        """A body that comes in parts."""
        parts, size, more, taken = [body], len(body), True, 0
        try:
            async with asyncio.timeout(SECONDS):
                while more and size <= DISCARDED:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused("the client went away", "", "")
                    part, more = message.get("body", b""), message.get("more_body", False)
                    size += len(part)
                    if size <= MOST_BYTES and len(part) <= self.left:
                        parts.append(part)
                        self.left -= len(part)
                        taken += len(part)
                    elif size <= MOST_BYTES:
                        raise TooMany("too many bodies are being read", "", "Send it again later.")
        except TimeoutError:
            raise TooSlow(
                "the body did not arrive in time", "", f"Send it within {SECONDS} s."
            ) from None
        finally:
            self.left += taken
        if size > MOST_BYTES:
            raise too_large()
        return b"".join(parts)


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
    if unpacker.unused_data:
        raise Refused("something follows the compressed body", "", "Send one gzip member.")
    return data


def decode(kind: type[T], body: bytes) -> T:
    """The JSON of a request."""
    try:
        return DECODERS[kind].decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
        raise unreadable(error, f"Send {HINTS[kind]}; see /openapi.json.") from None


def decode_features(text: bytes) -> Any:
    """The JSON of one example's features."""
    try:
        x = FEATURES.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
        wrong = unreadable(error)
        raise Refused(str(wrong), f"x{wrong.path}", wrong.hint) from None
    if isinstance(x, dict):
        check_features(x, "x")
    return x


def plain_rows(body: bytes) -> NumberFrame | None:
    """Questions that are many rows of plain numbers; None: what `decode_examples` is for."""
    return read_numbers(body, MOST_FEATURES, LONGEST_NAME) if len(body) > SEVERAL else None


def decode_examples(kind: Any, body: bytes, content_type: str) -> list[Any]:
    """Examples to learn, or to predict, from JSON, lines of JSON, or an Arrow stream."""
    content_type = content_type.partition(";")[0].strip().lower()
    one = Example if kind is Learn else Question
    if content_type in PLAIN:
        examples = decode(kind, body).examples
    elif content_type in NDJSON:
        try:
            examples = LINES[one].decode_lines(body)
        except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
            raise unreadable(error, f"Send lines of {HINTS[one]}.") from None
    elif content_type in ARROW:
        examples = from_arrow(one, body)  # checked for what Arrow itself does not check
    else:
        raise UnknownKind(
            f"content-type {content_type!r:.60}", "", f"Use JSON, {NDJSON[0]} or {ARROW[0]}."
        )
    if not examples:
        raise Refused("there are no examples", "examples", "Send at least one.")
    plain = body.isascii() and b"\\" not in body and content_type not in ARROW
    check_examples(examples, decoded=plain)
    return examples
