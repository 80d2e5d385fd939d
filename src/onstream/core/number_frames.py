"""Frames whose columns are plain numbers, also of pandas and Polars, read through NumPy.

An Arrow table of such a frame costs more than learning it: some 40 µs for each column. What is not
plain here (text, missing values of Polars, unusual names and types) goes through the table.
"""

import sys
from typing import Any

import numpy as np

from .pandas_frames import PLAIN, is_plain_frame, names_in, types_in

BITS = (8, 16, 32, 64)
POLARS = ["Float32", "Float64", *(f"Int{n}" for n in BITS), *(f"UInt{n}" for n in BITS)]


class NumberFrame:
    """A frame of numbers for who has read them without a library of frames.

    `values` has a row for each example and a column for each name; NaN is a missing value.
    """

    __slots__ = ("names", "values")

    def __init__(self, names: list[str], values: Any) -> None:
        self.names, self.values = names, values

    def __len__(self) -> int:
        return len(self.values)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        columns = [pa.array(column, from_pandas=True) for column in self.values.T]
        return pa.table(columns, self.names).__arrow_c_stream__(requested_schema)


def plain_numbers(X: Any) -> tuple[list[str], Any] | None:
    """Names and values of a frame of plain numbers; None: it must be read as a table."""
    if type(X) is NumberFrame:
        return X.names, X.values
    if is_plain_frame(X):
        return of_pandas(X)
    polars = sys.modules.get("polars")
    if polars is not None and type(X) is getattr(polars, "DataFrame", None):
        return of_polars(polars, X)
    return None


def of_pandas(X: Any) -> tuple[list[str], Any] | None:
    """The same for pandas. NaN is a missing value."""
    kinds = types_in(X)
    if not len(X) or not all(isinstance(kind, np.dtype) and kind in PLAIN for kind in kinds):
        return None
    names = names_in(X.columns)
    if not names:
        return None
    values = X.to_numpy(dtype=np.float64) if len(kinds) > 1 else X.to_numpy()
    return (names, values) if values.shape == (len(X), len(names)) else None  # changed meanwhile


def of_polars(polars: Any, X: Any) -> tuple[list[str], Any] | None:
    """The same for Polars, where null is missing, but NaN is not: the table tells them apart."""
    if not X.height or not set(X.dtypes) <= {getattr(polars, kind) for kind in POLARS}:
        return None
    names, values = X.columns, X.to_numpy()
    if values.dtype not in PLAIN or values.shape != (X.height, len(names)) or not names:
        return None
    return None if has_nan(values) else (names, values)


def has_nan(values: Any) -> bool:
    """Say whether NaN is among the numbers, of which there must be some."""
    return values.dtype.kind == "f" and bool(np.isnan(values.min()))
