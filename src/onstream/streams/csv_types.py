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
IN_MONTH, MONTH = r"(0?[1-9]|[12]\d|3[01])", r"(0?[1-9]|1[0-2])"  # a day, and a month
DAY = (
    rf"((19|20)\d\d(?P<a>[-/.]){MONTH}(?P=a){IN_MONTH}"
    rf"|({IN_MONTH}(?P<b>[-/.]){MONTH}(?P=b)|{MONTH}(?P<c>[-/.]){IN_MONTH}(?P=c))((19|20)\d\d)"
    rf"|({IN_MONTH}/{MONTH}|{MONTH}/{IN_MONTH})/\d\d)"
)
CLOCK = r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?( ?[AaPp][Mm])?"
ZONE = r"( ?(Z|UTC|GMT|[-+]\d\d(:?\d\d)?))?"
WHEN = re.compile(rf"\s*({DAY}([ T](\d\d|{CLOCK}){ZONE})?|{CLOCK}{ZONE})\s*".encode())
MONEY = "$¢£¤¥\u20a0-\u20cf"  # the last are a block of currency signs, with that of the euro
SIGNED = re.compile(rf"\s*([-+]?)\s*([{MONEY}]?)\s*([-+]?)([\d.,]+)\s*([{MONEY}%‰]?)\s*")


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


def doubt(column: str, values: list[bytes], decimal: str, *, feature: bool = True) -> str:
    """Why a column that is taken for text may have been meant as numbers; "" if nothing says so."""
    if not values or any(CODE.fullmatch(value) for value in values):
        return ""
    dates = [value for value in values if WHEN.fullmatch(value)]
    if len(dates) >= NUMERIC * len(values):
        drop = f'leave it out with drop=["{column}"], or ' if feature else ""
        return (
            f"though its values are dates or times, such as {shown(dates[0])}: each is a category "
            f"of its own, without order; {drop}make numbers of it before, such as hour, weekday "
            f"and month"
        )
    plain = sum(is_float(value, decimal) for value in values)
    signed = [value for value in values if without_signs(value, decimal)]
    if signed and len(signed) + plain >= NUMERIC * len(values):
        longest = max(signed, key=len)
        return (
            f"such as {shown(longest)}; if these are numbers, write them without signs and without "
            f"marks between thousands, this one as {without_signs(longest, decimal)}"
        )
    return doubt_marks(values, plain) if decimal == "." else ""


def doubt_marks(values: list[bytes], plain: int) -> str:
    """The same of commas in numbers, and of words among them; `plain` values are numbers."""
    grouped = [value for value in values if THOUSANDS.fullmatch(value)]
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


def without_signs(value: bytes, decimal: str) -> str:
    """The number in a text such as $1,234.50 or 12 %; "" if it is none, or has no such sign."""
    found = SIGNED.fullmatch(value.decode(errors="replace"))
    if found is None or not (found[2] or found[5]):
        return ""
    number = found[4]
    for point in (decimal, ",.".replace(decimal, "")):  # as it is written elsewhere
        mark = ",.".replace(point, "")
        grouped = re.fullmatch(rf"\d{{1,3}}(\{mark}\d{{3}})+(\{point}\d*)?", number)
        bare = number.replace(mark, "") if grouped else number
        if is_float(bare.encode(), point):
            return found[1] + found[3] + bare.replace(point, decimal)
    return ""


def are_values(names: list[str], decimal: str) -> bool:
    """Say whether the names of columns look like the values of a row: all numbers, but for one.

    Numbers that count the columns are names as pandas makes them for an array.
    """
    texts = [name.encode() for name in names]
    numbers = [text for text in texts if is_float(text, decimal) or WHEN.fullmatch(text)]
    if not numbers or len(numbers) < len(names) - 1:
        return False
    whole = [int(text) for text in numbers if text.isdigit()]
    counted = range(whole[0], whole[0] + len(whole)) if len(whole) == len(numbers) else ()
    return len(whole) < 2 or whole != list(counted)


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
