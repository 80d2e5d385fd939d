"""From a frame of any library to an Arrow table."""

import sys
from typing import Any

VIEWS_SINCE = 25  # the first pyarrow that takes views of text from others; those before crash


def arrow_table(X: Any) -> Any:
    """X, which has an Arrow stream, as a table of pyarrow."""
    import pyarrow as pa

    if isinstance(X, pa.Table):
        return X
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame) and release(pa) < VIEWS_SINCE:
        return X.to_arrow(compat_level=polars.CompatLevel.oldest())  # text without views
    return pa.table(X)


def release(library: Any) -> int:
    """The first number of a library's version."""
    return int(library.__version__.partition(".")[0])
