"""Sequences of numbers, as detectors and statistics are given them, become plain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

NOT_NUMBERS = (str, bytes, bytearray, complex, np.complexfloating, np.ndarray)


def plain_number(who: str, value: Any) -> float:
    """A number as a float, finite or not."""
    if value is None or isinstance(value, NOT_NUMBERS):
        raise TypeError(f"{who}: a value must be a number, got {value!r:.80}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{who}: the value is too large for a float.") from None
    except (TypeError, ValueError):
        raise TypeError(f"{who}: a value must be a number, got {value!r:.80}.") from None


def plain_numbers(who: str, values: Any) -> NDArray[np.float64]:
    """Numbers as a contiguous 1-D float64 array, finite or not."""
    try:
        array = np.asarray(values)
    except ValueError:  # nested lists of different lengths
        raise TypeError(f"{who}: values must be a 1-D array of numbers.") from None
    if array.ndim != 1:
        raise ValueError(f"{who}: values must be a 1-D array, got shape {array.shape}.")
    if array.dtype.kind not in "fiub":
        array = np.array([plain_number(who, item) for item in array.tolist()], dtype=np.float64)
    return np.ascontiguousarray(array, dtype=np.float64)
