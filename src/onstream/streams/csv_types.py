"""The types of a CSV file's columns, guessed from the first values or given by the user."""

import re
from collections.abc import Mapping
from typing import Any

NUMERIC = 0.9  # a column is numeric if this share of its values is
WHOLE = re.compile(rb"\s*-?\d+\s*")  # Arrow takes a plus sign for fractions only
CODE = re.compile(rb"\s*0\d\d+\s*")  # 01234; 07 may well be a month


def guess(values: list[bytes], decimal: str) -> Any:
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


def with_comma(values: list[bytes]) -> bytes | None:
    """One of the values, if they would be numbers with a decimal comma; else None."""
    commas = [value for value in values if b"," in value]
    numbers = sum(is_float(value, ",") for value in values)
    return commas[0] if commas and numbers >= NUMERIC * len(values) else None


def is_float(value: bytes, decimal: str) -> bool:
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


def coerce_types(who: str, types: Mapping[str, type] | None) -> dict[str, Any]:
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
