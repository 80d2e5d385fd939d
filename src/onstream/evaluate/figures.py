"""Numbers and names as people read them."""

import math


def figure(value: float, unit: str = "") -> str:
    """A value in its unit: per cent with one digit, else three; very large ones by their size."""
    if math.isnan(value):
        return "-"
    if unit == "%":
        value *= 100.0
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    text = f"{value:.1f}" if unit == "%" else f"{value:.3f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def compact(n: float) -> str:
    """A large number in few letters: 713k, 1.34M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.3g}{letter}"
    return f"{n:.3g}"


def encodable(text: str) -> str:
    """Text that every file can hold: half a character becomes its number."""
    return text.encode(errors="backslashreplace").decode()
