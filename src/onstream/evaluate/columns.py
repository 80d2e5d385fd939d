"""Targets, predictions and weights as metrics take them: plain labels, finite numbers, columns."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coerce import first_masked, is_missing, row_error

HEAVIEST = 1e100  # sums of heavier examples, and products of these, would overflow


# -- one value ---------------------------------------------------------------------------------


def plain_label(y: Any) -> bool | int | str:
    """A label as a Python bool, int or str."""
    if is_missing(y):
        raise ValueError(f"a label is missing ({y!s:.40}).")
    if isinstance(y, np.ndarray) and y.ndim == 0:
        y = y[()]
    if isinstance(y, np.bool_):
        return bool(y)
    if isinstance(y, (int, np.integer)) and not issubclass(type(y), np.timedelta64):
        return y if type(y) is bool else int(y)
    if isinstance(y, (float, np.floating)) and float(y).is_integer():
        return int(y)
    if isinstance(y, str):
        try:
            y.encode()
        except UnicodeEncodeError:
            raise ValueError(f"label {y!r:.80} is not valid Unicode text.") from None
        return str.__str__(y)
    raise TypeError(f"a label must be a bool, an int or a string, got {y!r:.80}.")


def plain_number(value: Any, name: str) -> float:
    """A finite number."""
    if type(value) is not float and type(value) is not int:
        if is_missing(value):
            raise ValueError(f"{name} is missing ({value!s:.40}).")
        if isinstance(value, (str, bytes, bytearray)) or (
            isinstance(value, np.ndarray) and value.ndim
        ):
            raise TypeError(f"{name} must be a number, got {value!r:.80}.")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r:.80}.") from None
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueError(f"{name} must be finite, got {value!r:.80}.")
    return result


def probability(value: Any) -> float:
    """A number from 0 to 1."""
    p = plain_number(value, "a probability")
    if not 0.0 <= p <= 1.0 + 1e-9:
        raise ValueError(f"a probability must lie between 0 and 1, got {value!r:.80}.")
    return p


def score(value: Any) -> float:
    """A finite number."""
    return plain_number(value, "a score")


# -- columns -----------------------------------------------------------------------------------


def without_mask(values: Any, name: str) -> Any:
    """Values of a column; one that is masked is refused rather than silently used."""
    at = first_masked(values)
    if at:
        wanted = f"{name} is missing (it is masked). Leave such rows out."
        raise row_error(ValueError, "", at[0], wanted)
    return values.data if isinstance(values, np.ma.MaskedArray) else values


def label_column(values: Any, name: str) -> NDArray[Any]:
    """Labels, one per row."""
    values = without_mask(values, name)
    if isinstance(values, (list, tuple)):
        array = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):  # which may be a sequence itself
            array[i] = value
        return array
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}.")
    return array


def true_labels(y: Any) -> list[Any]:
    """A column of labels as Python's own objects."""
    found: list[Any] = label_column(y, "y").tolist()
    checked = set()  # texts; there are few different ones
    for row, label in enumerate(found):
        kind = type(label)
        if kind is int or kind is bool or (kind is str and label in checked):
            continue
        try:
            found[row] = plain_label(label)
        except (TypeError, ValueError) as error:
            raise row_error(type(error), "", row, f"y: {error}") from None
        if kind is str:
            checked.add(label)
    return found


def number_column(values: Any, name: str) -> NDArray[np.float64]:
    """Finite float64 numbers, one per row."""
    try:
        array = np.asarray(without_mask(values, name))
    except ValueError as error:
        if str(error).startswith("row "):
            raise
        raise TypeError(f"{name} must be numbers, one in each row.") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}.")
    if array.dtype.kind not in "fiubO":
        raise TypeError(f"{name} must be numbers, got {array.dtype}.")
    if array.dtype.kind == "O":
        numbers = np.empty(len(array))
        for row, value in enumerate(array):
            try:
                numbers[row] = plain_number(value, name)
            except (TypeError, ValueError) as error:
                raise row_error(type(error), "", row, str(error)) from None
        return numbers
    with np.errstate(over="ignore"):  # what a double cannot hold becomes infinite
        array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise row_error(ValueError, "", row, f"{name} must be finite, got {array[row]}.")
    return array


def weight_column(w: Any, rows: int) -> NDArray[np.float64] | None:
    """Weights as an array; None: all 1."""
    if w is None:
        return None
    weights = number_column(w, "the weight w")
    if len(weights) != rows:
        raise ValueError(f"y has {rows:,} rows, w has {len(weights):,}.")
    if rows and not (weights.min() >= 0.0 and weights.max() <= HEAVIEST):
        row = int(np.argmax((weights < 0.0) | (weights > HEAVIEST)))
        wanted = f"the weight w must be from 0 to {HEAVIEST:g}, got {weights[row]}."
        raise row_error(ValueError, "", row, wanted)
    return weights
