"""Data frames of any library as Arrow tables."""

import sys
from typing import Any

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
