"""What a client sends to be learned, as it stands in requests and in the log."""

import math
import re
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import msgspec

LONGEST_NAME = 256  # bytes of a feature, an id, a source or a text label
MOST_FEATURES = 1000
Value: TypeAlias = float | int | bool | str | None
Target: TypeAlias = float | int | bool | str | list[str | int] | None
# The limits are for the OpenAPI document; `check_names` keeps them. Checked by the decoder, they
# cost half as much as decoding again: no name would be shared between rows.
LIMITS = {"maxProperties": MOST_FEATURES, "propertyNames": {"maxLength": LONGEST_NAME}}
OF_WEIGHT = {"minimum": 0, "description": "importance; 0 changes nothing, but is acknowledged"}
Weight: TypeAlias = Annotated[float, msgspec.Meta(extra_json_schema=OF_WEIGHT)]
Features: TypeAlias = Annotated[dict[str, Value], msgspec.Meta(extra_json_schema=LIMITS)] | str


class Example(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One example; one with an id is learned once, one with a source can be taken out again."""

    x: Features
    y: Target
    id: str | None = None
    source: str | None = None
    w: Weight = 1.0


USUAL: float = Example.__struct_defaults__[-1]  # is left out of the log, but only this object is


class Question(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Features to predict for; with an id, a label may follow later."""

    x: Features
    id: str | None = None


class Refused(ValueError):
    """Something in a request is not acceptable; `path` says where it stands."""

    def __init__(self, message: str, path: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.path, self.hint = path, hint


class TooLarge(Refused):
    """The body, as sent or unpacked, is larger than allowed."""


class Conflict(Refused):
    """Something that is there is in the way."""


def unreadable(error: Exception, hint: str = "See /openapi.json.") -> Refused:
    """What msgspec finds wrong, and where."""
    text, _, place = str(error).partition(" - at `")
    path = re.sub(r"^\$\.?", "", place.rstrip("`").removeprefix("key` in `"))
    return Refused(text[:200] or "the JSON is nested too deeply", path, hint)


def check_examples(examples: Sequence[Example | Question], decoded: bool = False) -> None:
    """Refuse what no learner should see; what a learner refuses by itself comes later.

    `decoded`: from JSON in ASCII, whose numbers are finite and whose letters are bytes, so that
    the number and the length of names are all that can be wrong in x.
    """
    decoded = decoded and check_names([one.x for one in examples if type(one.x) is dict])
    for row, example in enumerate(examples):
        if not decoded and type(example.x) is dict:
            check_features(example.x, f"examples[{row}].x")
        if example.id is not None:
            check_name(example.id, f"examples[{row}].id")
        if type(example) is Example:
            if example.source is not None:
                check_name(example.source, f"examples[{row}].source")
            if example.w is not USUAL:
                check_weight(example, f"examples[{row}].w")
            y = example.y
            if type(y) is str:
                check_name(y, f"examples[{row}].y", empty=True)
            elif type(y) is float and not math.isfinite(y):
                raise Refused(f"the target is {y}", f"examples[{row}].y", "Targets are finite.")


def check_weight(example: Example, path: str) -> None:
    """Refuse a weight that no learner takes; of 1, nothing is written into the log."""
    if not 0.0 <= example.w < math.inf:
        raise Refused(f"the weight is {example.w}", path, "Weights are finite and at least 0.")
    if example.w == 1.0:
        example.w = USUAL


def check_numbers(examples: Sequence[Example]) -> None:
    """Refuse true and false as targets of a regressor: JSON tells them from numbers."""
    for row, example in enumerate(examples):
        if type(example.y) is bool:
            raise Refused(
                f"the target is {str(example.y).lower()}, which is no number",
                f"examples[{row}].y",
                "This model learns numbers; send 1 or 0 if that is meant.",
            )


def check_names(rows: list[dict[str, Value]]) -> bool:
    """Say whether rows have few enough features, and their names are short enough."""
    longest = max(map(len, set[str]().union(*rows)), default=0)
    return longest <= LONGEST_NAME and max(map(len, rows), default=0) <= MOST_FEATURES


def check_features(x: dict[str, Value], path: str) -> None:
    """Refuse too many features, names that are too long, and numbers that are none."""
    if len(x) > MOST_FEATURES:
        raise Refused(
            f"an example has {len(x):,} features; {MOST_FEATURES:,} are allowed",
            path,
            "Send the features that are not 0, or fewer.",
        )
    for name, value in x.items():
        if len(name) > LONGEST_NAME // 4 and len(name.encode("utf-8", "replace")) > LONGEST_NAME:
            size = len(name.encode("utf-8", "replace"))
            raise Refused(f"the name of a feature has {size:,} bytes", path, LONG)
        if type(value) is float and not math.isfinite(value):
            raise Refused(f"the value is {value}", f"{path}.{name:.64}", MISSING)


MISSING = "Leave out what is missing."
LONG = f"At most {LONGEST_NAME} bytes are allowed."


def check_name(name: str, path: str, empty: bool = False) -> None:
    """Refuse an id, a source or a label that is too long."""
    if not name and not empty:
        raise Refused("an empty name", path, "Leave it out, or give it a name.")
    if len(name) > LONGEST_NAME or not name.isascii():
        check_text(name, path)
        if len(name.encode()) > LONGEST_NAME:
            raise Refused(f"a name has {len(name.encode()):,} bytes", path, LONG)


def check_text(text: str, path: str) -> None:
    """Refuse half a character (a lone surrogate), which JSON cannot write down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused(f"{text!a:.60} is no Unicode text", path, "Leave it out.") from None
