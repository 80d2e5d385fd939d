"""Blocks of texts: as mappings, or refused with what to do."""

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

import numpy as np

from ..core.coerce import is_missing, row_error
from ..core.data_warning import list_names
from ..core.frames import rows_of_table, text_column
from ..core.sparse import SparseBlock


def rows_of_texts(who: str, fields: Collection[str], X: Any) -> Any:
    """Texts in a list, an array, a series or a frame, as mappings with the texts in `fields`."""
    texts = text_column(who, X)
    if texts is not None:
        if len(fields) > 1:
            raise TypeError(
                f"{who}: with several texts, {list_names(fields)}, X is a frame or a list of "
                f"mappings; got one column of texts."
            )
        field = next(iter(fields))
        return [{field: text} for text in texts]
    if isinstance(X, (str, bytes)):
        raise TypeError(
            f"{who}: X must be many examples: a list of strings, a list of mappings or a data "
            f"frame, got one {type(X).__name__}. One example goes to learn_one or predict_one."
        )
    if is_array(X):
        refuse_array(who, fields, "X", X[0] if isinstance(X, (list, tuple, np.ndarray)) else ())
    if is_column(X):
        refuse_other_values(who, X)
    if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
        return X
    names, rows = rows_of_table(who, X)
    lacking = [field for field in fields if field not in names]
    if rows and lacking:
        raise ValueError(
            f"{who}: BagOfWords finds no column {list_names(lacking)}; there are "
            f"{list_names(names)}. Say on=..., the name of the column of texts."
        )
    return rows


def refuse_array(who: str, fields: Collection[str], what: str, first: Any) -> NoReturn:
    """Refuse an array, whose first row this is."""
    texts = [value for value in first if isinstance(value, str)]
    found = "an array without names of columns" if texts else "an array of numbers"
    raise TypeError(
        f"{who}: {what} is {found}, in which BagOfWords finds no text. Pass "
        f"strings, or mappings or a frame with {list_names(fields)}; or leave BagOfWords out."
    )


def refuse_other_values(who: str, X: Any) -> NoReturn:
    """Refuse a column of rows that are not all text."""
    for i, value in enumerate(X):
        if isinstance(value, str) or is_missing(value):
            continue
        advice = " Decode it first." if isinstance(value, (bytes, bytearray)) else ""
        raise row_error(
            TypeError,
            who,
            i,
            f"X is a list of texts, so each must be a string or None, got {value!r:.60} of type "
            f"{type(value).__name__}.{advice}",
        )
    raise ValueError(f"{who}: X holds no text: all its rows are missing.")


def is_column(X: Any) -> bool:
    """Say whether X is a list or a column with any row, and the first is not a mapping."""
    column = len(getattr(X, "shape", ())) == 1 and hasattr(X, "__array__")
    if not (column or isinstance(X, (list, tuple))) or len(X) == 0:
        return False
    first = next(iter(X))
    return not isinstance(first, Mapping) and not hasattr(first, "keys")


def is_array(X: Any) -> bool:
    """Say whether X is an array, dense or sparse, with any row."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], (list, tuple, np.ndarray))
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and len(X) > 0 and X.dtype.kind in "fiubOU"
    if isinstance(X, SparseBlock):
        return len(X.starts) > 1
    return (hasattr(X, "indptr") or hasattr(X, "tocsr")) and bool(X.shape[0] > 0)
