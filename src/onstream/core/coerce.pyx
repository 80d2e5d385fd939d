"""User input becomes exact dicts, float64 arrays and floats, or a clear error.

All user code (`__float__`, `items`, `__array__`) runs here.
"""

from libc.math cimport INFINITY

import numpy as np

from .arrays cimport doubles
from .example cimport SAFE as C_SAFE, onstream_peak

FLOAT64 = np.dtype(np.float64)
SAFE = C_SAFE  # the bound of all numbers of a state, for modules in Python
NOT_NUMBERS = (np.ndarray, bytes, bytearray, complex, np.complexfloating)  # though float() may take them


# -- examples ------------------------------------------------------------------------------------------


def coerce_mapping(who, x, nominal=False):
    """A dict with exact str or int keys and exact float or str values; None is left out.

    Values of the same feature (3 and "3") are added.
    """
    items = list(x.items())
    plain = {}
    for name, value in items:
        if type(name) is not str:
            name = coerce_name(who, name)
        if type(value) is not float and value is not None:
            value = coerce_value(who, name, value)
        if value is None:
            continue
        if type(value) is str:
            if nominal:
                plain.setdefault(name, value)
                continue
            name, value = f"{name}={value}", 1.0
        elif type(name) is str:
            number = whole_number(name)
            if number is not None and number in plain:
                name = number
        elif str(name) in plain:
            name = str(name)
        if type(plain.get(name)) is not str:
            plain[name] = plain[name] + value if name in plain else value
    return plain


def is_missing(value):
    """Is it None, NaN, or one of their kin in pandas and NumPy?"""
    if isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)):
        return bool(value != value)
    if value is None or value is np.ma.masked:
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def missing(who, what, value):
    """The error for an example without a target or label (`what`)."""
    kind = ValueError if isinstance(value, (float, np.floating)) else TypeError
    return kind(f"{who}: {what} is missing ({value!s:.40}). Leave out examples without one.")


def number_text(double value):
    """The text of a number that is a nominal value: 3.0 is "3"."""
    return str(int(value)) if value == value // 1 else repr(value)


def in_row(error, who, row):
    """The error of one example as the error of a row."""
    text = str(error).removeprefix(f"{who}: ")
    return row_error(TypeError if isinstance(error, TypeError) else ValueError, who, row, text)


def row_error(kind, who, row, text):
    """An error about a row of a block. Its attribute `row` lets callers that cut or shuffled the
    block name the row as the user counts it (base/errors.py)."""
    error = kind(f"{who}: row {row}: {text}" if who else f"row {row}: {text}")
    error.row = row
    return error


def refused_row(error, who, row):
    """The error to raise if a user's function failed in a row of a block: ours, or the user's."""
    if hasattr(error, "row"):
        return error
    learned = "The rows before it were learned."
    if isinstance(error, (TypeError, ValueError)) and str(error).startswith(f"{who}: "):
        error = in_row(error, who, row)
        error.args = (f"{error} {learned}",)
        return error
    error.add_note(f"{who}: row {row}: a function that it was given has failed. {learned}")
    return error


def coerce_name(who, name):
    """An exact str or int."""
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return valid_name(who, int(name))
    raise TypeError(
        f"{who}: a feature's name must be a string or an int, "
        f"got {name!r:.80} of type {type(name).__name__}."
    )


def coerce_value(who, name, value):
    """A float, a str, or None."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        if np.ma.is_masked(value):
            raise ValueError(f"{who}: feature {name!r} is masked. Give None if it is missing.")
        value = value.item()
        if isinstance(value, str) or value is None:
            return value
    if hasattr(value, "__float__") or hasattr(value, "__index__"):
        if not isinstance(value, NOT_NUMBERS):
            try:
                return float(value)
            except OverflowError:
                raise ValueError(
                    f"{who}: feature {name!r} is a number too large for a float; "
                    f"values must be finite."
                ) from None
            except (TypeError, ValueError):
                pass
    advice = " Give None if it is missing." if is_missing(value) else ""
    if len(getattr(value, "shape", ())) == 1:  # a column of a frame
        advice = " Many rows, even a frame of one row, go to learn_many or predict_many."
    raise TypeError(
        f"{who}: feature {name!r} must be a number, a bool, a string or None, "
        f"got {value!r:.80} of type {type(value).__name__}.{advice}"
    )


def coerce_array(who, x, dimensions):
    """A C-contiguous float64 array with this number of dimensions."""
    kind = "an example" if dimensions == 1 else "X"
    x = unmasked(who, x)
    try:
        array = np.asarray(x)
    except ValueError:
        raise ValueError(f"{who}: {kind} must be rectangular; its rows differ in length.") from None
    if array.ndim != dimensions:
        raise ValueError(
            f"{who}: {kind} must have {dimensions} dimension{'s' * (dimensions > 1)}, "
            f"got shape {array.shape}."
            f"{' Many rows go to learn_many or predict_many.' * (dimensions == 1 and array.ndim == 2)}"
        )
    if array.dtype.kind not in "fiub":
        if array.dtype.kind != "O":
            raise TypeError(
                f"{who}: {kind} must hold numbers, got an array of {array.dtype}. "
                f"Pass mappings or a data frame for text."
            )
        array = coerce_objects(who, array)
    return to_float64(array)


def to_float64(array):
    """A C-contiguous float64 array. Numbers beyond float64 become infinite, and are refused later."""
    with np.errstate(over="ignore"):
        plain = np.ascontiguousarray(array, dtype=np.float64)
    return plain if plain.flags.aligned else plain.copy()


def copy_float64(array):
    """The same, always a copy: no other thread can change it after it was checked."""
    with np.errstate(over="ignore"):
        return np.array(array, dtype=np.float64, order="C")


def unmasked(who, values, column=None):
    """Values without their mask; a masked value is an error.

    `column`: their name if there is one value for each row ("y"); None: they are features.
    """
    at = first_masked(values)
    if at is None:
        return values.data if isinstance(values, np.ma.MaskedArray) else values
    if column is None:
        *at, feature = at or [0]
        reason = f"feature {feature} is masked. Pass mappings or a data frame, where a missing value is None."
    else:
        reason = f"{column} is missing (it is masked). Leave such rows out."
    raise row_error(ValueError, who, int(at[0]), reason) if at else ValueError(f"{who}: {reason}")


def first_masked(values):
    """The index of the first masked value in an array or a list of arrays; None: there is none."""
    if isinstance(values, np.ma.MaskedArray):
        return next(iter(np.argwhere(np.ma.getmaskarray(values)).tolist()), None)
    if isinstance(values, (list, tuple)):
        kind = None
        for i, item in enumerate(values):
            if type(item) is kind:  # mostly numbers of one type
                continue
            if isinstance(item, np.ma.MaskedArray):
                at = first_masked(item)
                if at is not None:
                    return [i, *at]
            else:
                kind = type(item)
    return None


def coerce_objects(who, array):
    """An object array as floats. None is refused: an array has no missing values."""
    plain = np.empty(array.shape)
    for at in np.ndindex(array.shape):
        value = array[at]
        if value is None or isinstance(value, (str, bytes)):
            reason = (
                f"column {at[-1]} is {value!r:.40}; an array must hold numbers. "
                f"Pass mappings or a data frame for text and missing values."
            )
            raise row_error(TypeError, who, at[0], reason) if len(at) == 2 else TypeError(f"{who}: {reason}")
        try:
            plain[at] = coerce_value(who, at[-1], value)
        except (TypeError, ValueError) as error:
            raise (in_row(error, who, at[0]) if len(at) == 2 else error) from None
    return plain


def whole_number(str name):
    """The int whose decimal form is `name`; None: there is none."""
    if not 0 < len(name) < 311 or not name.isascii():
        return None
    digits = name[1:] if name[0] == "-" else name
    if not digits.isdigit() or (digits[0] == "0" and name != "0"):
        return None
    return int(name)


def valid_name(who, name):
    """The name of a new feature, if a file can hold it."""
    if type(name) is int:
        if name.bit_length() > 1024:
            raise ValueError(f"{who}: an int of {name.bit_length():,} bits is no feature's name.")
        return name
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{who}: feature {name!r:.80} is not valid Unicode text.") from None
    return name


# -- targets, weights, values of detectors and statistics ----------------------------------------------


cdef double number(str who, str what, object value) except? -1.0:
    """A number, finite or not; `what` names it in errors."""
    if type(value) is float:  # the usual case
        return value
    if isinstance(value, (str, *NOT_NUMBERS)):
        raise TypeError(f"{who}: {what} must be a number, got {value!r:.80}.")
    try:
        return value
    except OverflowError:
        raise ValueError(f"{who}: {what} is too large for a float.") from None
    except (TypeError, ValueError):
        raise TypeError(f"{who}: {what} must be a number, got {value!r:.80}.") from None


cpdef double coerce_weight(str who, object w) except? -1.0:
    """The weight of an example."""
    cdef double weight = number(who, "the weight w", w)
    if not 0.0 <= weight < INFINITY:
        raise ValueError(f"{who}: the weight w must be finite and at least 0, got {w!r:.80}.")
    return weight


def coerce_weights(who, w):
    """Weights of many rows as a float64 array; None: all 1."""
    if w is None:
        return None
    weights = coerce_column(who, "w", w)
    if weights.dtype.kind not in "fiub":
        weights = one_by_one(who, weights, coerce_weight)
    weights = copy_float64(weights)
    bad = ~((weights >= 0.0) & (weights < INFINITY))
    if bad.any():
        row = int(np.argmax(bad))
        raise row_error(
            ValueError, who, row, f"the weight w must be finite and at least 0, got {weights[row]}."
        )
    return weights


cpdef double coerce_target(str who, object y) except? -1.0:
    """The target of a regressor."""
    cdef double target
    try:
        target = number(who, "the target y", y)
    except TypeError:
        if is_missing(y):
            raise missing(who, "the target y", y) from None
        raise
    if target != target:
        raise missing(who, "the target y", target)
    if not -INFINITY < target < INFINITY:
        raise ValueError(f"{who}: the target y must be finite, got {target}.")
    return target


def coerce_targets(who, y, rows):
    """Targets of many rows as a finite float64 array."""
    if type(y) is np.ndarray and y.ndim == 1 and len(y) == rows and y.dtype is FLOAT64:  # mostly so
        numbers = y.copy()
        if onstream_peak(doubles(numbers), rows) < INFINITY:
            return numbers
    column = coerce_column(who, "y", y)
    if len(column) != rows:
        raise ValueError(f"{who}: X has {rows:,} rows, y has {len(column):,}.")
    if column.dtype.kind not in "fiub":
        return one_by_one(who, column, coerce_target)
    numbers = copy_float64(column)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        try:
            coerce_target(who, float(numbers[row]))
        except ValueError as error:
            raise in_row(error, who, row) from None
    return numbers


def coerce_column(who, name, values):
    """A list or array with one number for each row, as an array."""
    values = unmasked(who, values, name)
    try:
        column = np.asarray(in_one_piece(values))
    except ValueError:  # nested lists of different lengths
        raise TypeError(f"{who}: {name} must hold one number for each row.") from None
    if column.ndim == 0:
        raise no_column(who, name, "number", values)
    if column.ndim != 1:
        raise ValueError(f"{who}: {name} must hold one number for each row, got shape {column.shape}.")
    if column.dtype.kind not in "fiubO":
        raise TypeError(f"{who}: {name} must hold numbers, got {column.dtype}.")
    return column


def no_column(who, name, item, values):
    """The error for `values` that are not a list or array with one item for each row."""
    got = "None" if values is None else type(values).__name__
    advice = f" Make a list of it: list({name})." if hasattr(values, "__next__") else ""
    return TypeError(
        f"{who}: {name} must be a list or an array with one {item} for each row, got {got}.{advice}"
    )


def in_one_piece(column):
    """An Arrow column as one chunk: converting chunks, NumPy would get a wrong value for null."""
    return column.combine_chunks() if hasattr(column, "unify_dictionaries") else column


def one_by_one(who, column, coerce):
    """An object column as floats, each by `coerce`; errors name the row."""
    numbers = np.empty(len(column))
    for row, value in enumerate(column.tolist()):
        try:
            numbers[row] = coerce(who, value)
        except (TypeError, ValueError) as error:
            raise in_row(error, who, row) from None
    return numbers


def coerce_number(who, value):
    """A number as a float, finite or not."""
    return number(who, "a value", value)


def coerce_numbers(who, values):
    """Numbers as a contiguous 1-D float64 array, finite or not."""
    values = unmasked(who, values, "a value")
    try:
        array = np.asarray(values)
    except ValueError:  # nested lists of different lengths
        raise TypeError(f"{who}: values must be a 1-D array of numbers.") from None
    if array.ndim != 1:
        raise ValueError(f"{who}: values must be a 1-D array, got shape {array.shape}.")
    if array.dtype.kind not in "fiub":
        array = np.array([coerce_number(who, item) for item in array.tolist()], dtype=np.float64)
    return to_float64(array)
