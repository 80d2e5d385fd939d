"""Data frames of any library as Arrow tables, and their columns as NumPy arrays."""

import sys
from typing import Any

import numpy as np

LAYOUTS = {"halffloat": "f2", "float": "f4", "double": "f8", "bool": "?"}
LAYOUTS |= {
    f"{kind}int{8 * size}": f"{kind or 'i'}{size}" for kind in ("", "u") for size in (1, 2, 4, 8)
}
VIEWS_SINCE = 25  # the first pyarrow that imports string views; earlier ones crash


def arrow_table(X: Any) -> Any:
    """X, which has an Arrow stream, as a pyarrow table."""
    import pyarrow as pa

    if isinstance(X, pa.Table):
        return X
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame) and release(pa) < VIEWS_SINCE:
        return X.to_arrow(compat_level=polars.CompatLevel.oldest())  # without string views
    return pa.table(X)


def release(library: Any) -> int:
    """The major version of a library."""
    return int(library.__version__.partition(".")[0])


def as_array(column: Any) -> Any:
    """An Arrow column as the array that its `to_numpy` gives, which imports pandas if it is there.

    That takes longer than to learn a small file. Numbers without nulls are not copied if possible.
    """
    kind = str(column.type)
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    if column.null_count == 0 and chunks:
        if kind in LAYOUTS:
            arrays = [numbers_of(chunk, np.dtype(LAYOUTS[kind])) for chunk in chunks]
            return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        if kind in ("string", "large_string"):
            arrays = [texts_of(chunk) for chunk in chunks]
            return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    return column.to_numpy(zero_copy_only=False)


def numbers_of(chunk: Any, kind: Any) -> Any:
    """Numbers or bools of one chunk, without nulls."""
    data, n, first = chunk.buffers()[1], len(chunk), chunk.offset
    if data is None or n == 0:
        return np.empty(0, dtype=kind)
    if kind == np.bool_:
        bits = np.frombuffer(data, dtype=np.uint8)[first // 8 : (first + n + 7) // 8]
        return np.unpackbits(bits, bitorder="little")[first % 8 : first % 8 + n].view(np.bool_)
    return np.frombuffer(data, dtype=kind, count=n, offset=first * kind.itemsize)


def texts_of(chunk: Any) -> Any:
    """Texts of one chunk, without nulls, as objects; equal ones are the same object."""
    coded = chunk.dictionary_encode()
    texts = np.array(coded.dictionary.to_pylist(), dtype=object)
    return texts[as_array(coded.indices)] if len(texts) else np.empty(0, dtype=object)
