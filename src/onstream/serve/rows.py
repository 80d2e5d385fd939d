"""What Python code gives to be learned, as the log keeps it: mappings and plain values.

The rows that every learner takes are taken here (docs/contract.md). A mapping keeps just the values
that it was given, so that the log gives back what was learned, in every bit; whole-number names
become text, as feature 3 is the feature "3".
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from ..core.coerce import (
    coerce_array,
    coerce_mapping,
    coerce_weight,
    coerce_weights,
    in_row,
    is_missing,
    no_column,
)
from ..core.frames import rows_of_table, text_column
from ..core.rows import check_weights
from ..core.sparse import SparseBlock
from .example import Example

WHO = "DurableModel"
PLAIN = {float, int, bool, str, type(None)}
USUAL = PLAIN - {int}
LARGEST = 2**63  # of a whole number that JSON keeps as one; larger ones become floats


def examples_of(X: Any, y: Any, w: Any, source: str | None) -> list[Example]:
    """Rows and their targets as examples; errors name the row."""
    rows, targets = rows_of(X), targets_of(y)
    if len(rows) != len(targets):
        raise ValueError(f"{WHO}: X has {len(rows):,} rows, y has {len(targets):,}.")
    weights = coerce_weights(WHO, w)
    check_weights(WHO, len(rows), weights)
    given = [1.0] * len(rows) if weights is None else weights.tolist()
    examples = []
    for row, (x, target, weight) in enumerate(zip(rows, targets, given, strict=True)):
        try:
            examples.append(make_example(x, target, weight, None, source))
        except (TypeError, ValueError) as error:
            raise in_row(error, WHO, row) from None
    return examples


def rows_of(X: Any) -> list[Any]:
    """The rows of X, each a mapping, a text, or an array of numbers."""
    if isinstance(X, SparseBlock):
        return list(X.mappings())
    if hasattr(X, "tocsr") or hasattr(X, "indptr"):
        raise TypeError(
            f"{WHO}: X is a sparse matrix, whose blanks are 0 to some learners and missing to "
            f"others; the log keeps mappings. Pass X.toarray(), or mappings."
        )
    texts = text_column(WHO, X)
    if texts is not None:
        return texts
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return [without_nulls(row) for row in rows_of_table(WHO, X)[1]]
    if isinstance(X, np.ndarray) or (hasattr(X, "__array__") and not hasattr(X, "columns")):
        array = coerce_array(WHO, X, 2)
        names = [str(j) for j in range(array.shape[1])]
        return [dict(zip(names, row, strict=True)) for row in array.tolist()]
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable) or hasattr(X, "columns"):
        raise TypeError(
            f"{WHO}: X must be many examples: a list of mappings, a data frame or a 2-D array, got "
            f"{type(X).__name__}. One example goes to learn_one."
        )
    return list(X)


def without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a frame without what is missing."""
    return {name: value for name, value in row.items() if value is not None}


def targets_of(y: Any) -> list[Any]:
    """A target for each row."""
    if hasattr(y, "to_pylist"):  # an Arrow column
        return list(y.to_pylist())
    if isinstance(y, np.ndarray) and y.ndim:
        return list(y.tolist())
    if isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable) or hasattr(y, "columns"):
        raise no_column(WHO, "y", "target", y)
    return list(y)


def coerce_example(given: Any) -> Example:
    """An example from what Python code passes: an `Example`, or a mapping with x and y."""
    if isinstance(given, Example):
        return given
    if not isinstance(given, Mapping) or not {"x", "y"} <= set(given):
        raise TypeError(
            f"{WHO}: an example is a mapping with x and y (w, id, source), got {given!r:.80}."
        )
    unknown = set(given) - {"x", "y", "w", "id", "source"}
    if unknown:
        raise ValueError(f"{WHO}: an example has no {min(map(str, unknown))!r:.60}.")
    w = given.get("w", 1.0)
    return make_example(given["x"], given["y"], w, given.get("id"), given.get("source"))


def make_example(
    x: Any, y: Any, w: Any = 1.0, id: str | None = None, source: str | None = None
) -> Example:
    """An example with plain Python values, so that the log gives back just what was learned."""
    if isinstance(y, (set, frozenset, tuple, list, np.ndarray)):
        y = [plain(label) for label in (sorted(y) if isinstance(y, (set, frozenset)) else y)]
    fields = {"x": features_of(x), "y": plain(y), "id": id, "source": source}
    fields["w"] = coerce_weight(WHO, w)
    try:
        return msgspec.convert(fields, Example)
    except (msgspec.ValidationError, TypeError) as error:
        raise TypeError(f"{WHO}: this cannot be logged: {error}.") from None


def features_of(x: Any) -> dict[str, Any] | str:
    """One example's features: a mapping by names, an array as features 0, 1, 2 and so on."""
    if isinstance(x, str):
        return str(x)
    if hasattr(x, "keys") and hasattr(x, "items"):
        return mapping_of(x)
    if isinstance(x, (np.ndarray, list, tuple)) or hasattr(x, "__array__"):
        return {str(j): value for j, value in enumerate(coerce_array(WHO, x, 1).tolist())}
    raise TypeError(
        f"{WHO}: an example must be a mapping from features to values or a 1-D array, got "
        f"{x!r:.80} of type {type(x).__name__}."
    )


def mapping_of(x: Any) -> dict[str, Any]:
    """A mapping with names as text and plain values; those of one feature (3 and "3") are added."""
    if type(x) is dict and set(map(type, x)) <= {str} and set(map(type, x.values())) <= USUAL:
        return x.copy()
    features: dict[str, Any] = {}
    for name, value in list(x.items()):
        kept = value if type(value) in PLAIN else plain_value(name, value)
        if type(kept) is int and not -LARGEST <= kept < LARGEST:
            kept = plain_value(name, kept)
        text = name if type(name) is str else name_of(name)
        before = features.get(text)
        if before is not None and kept is not None:
            if isinstance(before, str) or isinstance(kept, str):
                raise ValueError(
                    f"{WHO}: feature {text!r:.80} is there twice, as {text} and as text."
                )
            kept += before
        features[text] = before if kept is None else kept
    return features


def name_of(name: Any) -> str:
    """The name of a feature as text."""
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    raise TypeError(
        f"{WHO}: a feature's name must be a string or an int, got {name!r:.80} of type "
        f"{type(name).__name__}."
    )


def plain_value(name: Any, value: Any) -> Any:
    """A value of another type as the learners read it."""
    item = value.item() if isinstance(value, np.generic) else value
    if type(item) in PLAIN and item is not value:
        return item
    return coerce_mapping(WHO, {name: value}, True).get(name)


def plain(value: Any) -> Any:
    """A target: a NumPy scalar as Python's own; what a library calls missing as None."""
    if type(value) in PLAIN:
        return value
    if is_missing(value) and not isinstance(value, (float, np.floating)):
        return None
    item = getattr(value, "item", None)
    return item() if item is not None and getattr(value, "shape", None) == () else value
