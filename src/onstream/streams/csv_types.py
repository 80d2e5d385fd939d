"""The types of a CSV file's columns, guessed from the first values or given by the user."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

NUMERIC = 0.9  # a column is numeric if this share of its values is
WHOLE = re.compile(rb"\s*-?\d+\s*")  # Arrow takes a plus sign for fractions only
CODE = re.compile(rb"\s*0\d\d+\s*")  # 01234; 07 may well be a month
THOUSANDS = re.compile(rb"\s*[-+]?\d{1,3}(,\d{3})+(\.\d*)?\s*")  # 1,234 and 1,234.50
MANY = 0.5  # a text column with this share of numbers, and so many, may have been meant as one of
ENOUGH = 10  # numbers


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


def doubt(values: list[bytes]) -> str:
    """Why a column that is taken for text may have been meant as numbers; "" if nothing says so."""
    if not values or any(CODE.fullmatch(value) for value in values):
        return ""
    grouped = [value for value in values if THOUSANDS.fullmatch(value)]
    plain = sum(is_float(value, ".") for value in values)
    if grouped and len(grouped) + plain >= NUMERIC * len(values):
        other = "" if any(b"." in value for value in values) else " (or decimal=',' for fractions)"
        return (
            f"such as {shown(grouped[0])}; if these are numbers with commas between thousands, "
            f"write them without{other}, in Python by pandas.read_csv(..., thousands=',')"
        )
    commas = [value for value in values if b"," in value]
    if commas and sum(is_float(value, ",") for value in values) >= NUMERIC * len(values):
        return f"such as {shown(commas[0])}; if these are numbers, say decimal=',' (--decimal ,)"
    if plain < max(ENOUGH, MANY * len(values)):
        return ""
    words = Counter(value for value in values if not is_float(value, "."))
    word, times = words.most_common(1)[0]
    return (
        f"though {plain:,} of the first {len(values):,} values are numbers; if "
        f"{shown(word)} ({times:,} times) means that one is missing, say missing= (--missing)"
    )


def shown(value: bytes) -> str:
    """A value in a message."""
    return repr(value.decode(errors="replace")[:40])


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
