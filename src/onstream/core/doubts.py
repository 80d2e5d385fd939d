"""Doubts about the data: names and values that are probably not what the user meant.

Each kind is given once per model, as a `DataWarning`. The checks run only where they are cheap:
once per block, when a feature is new, or when no feature of an example is known.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .coerce import is_missing
from .data_warning import list_names
from .sparse import SparseBlock

NEARLY_ALL = 0.9  # values per example from which on a text column says nothing about the next one
MANY_VALUES = 1000  # values of a text column before there is a warning
FAR_APART = 100.0  # times the size of another column from which on there is a warning
FAR_FROM_0 = 3.0  # deviations between 0 and the mean of a column with missing values
USUAL = 0.1  # share of rows that have a column
MANY_FEATURES = 3000  # values of a text column before a learner of numbers warns
ROW_NUMBERS = 50  # rows that are looked at for columns that only number them
DIVERGES = (
    "the last predictions are more than 100 times as large as any target: learning diverges. Lower "
    "the rate (eta), put StandardScaler() | before the learner, or give scale='auto' if it has it."
)
IN_A_ROW = 10  # mappings in a row without a known feature before there is a warning


def doubt_values(encoder: Any, seen: int) -> None:
    """Warn of columns in which nearly every value is new: ids, dates, free text."""
    counts = encoder.value_counts()
    columns = [c for c, n in counts.items() if n >= MANY_VALUES and n > NEARLY_ALL * seen]
    if columns:
        title = f"column{'s' * (len(columns) > 1)} {list_names(columns)}"
        encoder.warn_once(
            "new values",
            f"{title}: nearly every value is new ({counts[columns[0]]:,} in {seen:,} examples). "
            f"Each takes memory and tells nothing about the next example. Leave such a column "
            f"out, or make numbers of it.",
        )
    elif not encoder.nominal:
        doubt_width(encoder, counts)


def doubt_width(encoder: Any, counts: Mapping[Any, int]) -> None:
    """Warn of a text column that became thousands of features."""
    widest = max(counts, key=counts.__getitem__, default=None)
    if widest is not None and counts[widest] >= MANY_FEATURES:
        encoder.warn_once(
            "width",
            f"column {list_names([widest])} has {counts[widest]:,} different texts by now, each a "
            f"feature of its own that few examples have. Put rare ones together, or hash them "
            f"(hash_bits=18, where the learner has it); trees and naive Bayes take the column as "
            f"one feature.",
        )


def doubt_scales(encoder: Any, rows: int, counts: np.ndarray, squares: np.ndarray) -> None:
    """Warn of columns much larger than others, given how often each was not 0 and its squares."""
    usual = np.flatnonzero(counts > USUAL * rows)  # rare words have sizes by chance
    if len(usual) < 2:
        return
    sizes = np.sqrt(squares[usual] / counts[usual])
    small, large = usual[sizes.argmin()], usual[sizes.argmax()]
    ratio = sizes.max() / sizes.min()
    if ratio >= FAR_APART:
        encoder.warn_once(
            "scales",
            f"values of {encoder.name_of(large)!r:.40} are about {ratio:,.0f} times as large as "
            f"those of {encoder.name_of(small)!r:.40}: no step and no distance suits both. Give "
            f"scale='auto' if the learner has it, or put StandardScaler() | before it.",
        )


def doubt_ids(encoder: Any, rows: np.ndarray) -> None:
    """Warn of columns that number the rows or name them: whole numbers, each one its own.

    `rows` holds the first rows by feature; NaN is missing. A column without a name of its own, or
    with one that says nothing, is a number of the row only if it rises by one each time.
    """
    if len(rows) < ROW_NUMBERS or rows.shape[1] < 2:  # a column alone may well be a count
        return
    found = []
    for j in range(rows.shape[1]):
        column = rows[:, j]
        if not (np.isfinite(column).all() and (column == np.floor(column)).all()):
            continue
        name = encoder.name_of(j)
        distinct = len(np.unique(column)) == len(column)
        if (np.diff(column) == 1.0).all() or (is_id(name) and distinct):
            found.append(name)
    if found:
        title = f"column{'s' * (len(found) > 1)} {list_names(found)}"
        encoder.warn_once(
            "ids",
            f"{title}: another number in every row. A number or name of the row tells nothing "
            f"about the next example, and is learned all the same. Leave it out, or make text of "
            f"it if values come again.",
        )


def doubt_gaps(encoder: Any, rows: np.ndarray) -> None:
    """Warn of a column with missing values, if 0, which they count as, is far from the others.

    `rows` holds the first rows by feature; NaN is missing. Most rows have a usual column. Of flags
    and counts 0 is one of the values.
    """
    for j in range(rows.shape[1]):
        there = rows[~np.isnan(rows[:, j]), j]
        gaps = len(rows) - len(there)
        if 100 * gaps < len(rows) or gaps > len(there) or there.min() <= 0.0 <= there.max():
            continue
        mean, deviation = float(there.mean()), float(there.std())
        if abs(mean) > FAR_FROM_0 * deviation > 0.0:
            encoder.warn_once(
                "gaps",
                f"column {list_names([encoder.name_of(j)])} has missing values, and what is "
                f"missing counts as 0, far from its other values (mean {mean:.4g}, deviation "
                f"{deviation:.3g}). Put Imputer() | or StandardScaler() | before the learner; "
                f"trees and naive Bayes leave out what is missing.",
            )
            return


def is_id(name: Any) -> bool:
    """Say whether the name of a column calls it an id."""
    return isinstance(name, str) and (
        name.lower() in ("id", "uuid", "index", "key")
        or name.lower().endswith(("_id", " id", ".id"))
        or name.endswith(("Id", "ID"))
    )


def doubt_selection(encoder: Any, names: Iterable[Any] | None = None) -> None:
    """Warn of selected names that a frame with columns `names` lacks.

    Without `names`: of the names met so far, if none of the selected ones is among them.
    """
    wanted = encoder.wanted
    if wanted is None:
        return
    there = list(encoder.names_met() if names is None else names)
    columns = {str(name) for name in there} | {str(name).partition("=")[0] for name in there}
    lacking = sorted(wanted - columns)
    if there and lacking and (names is not None or len(lacking) == len(wanted)):
        encoder.warn_once(
            "selection",
            f"there is no feature {list_names(lacking)} to select; there are {list_names(there)}.",
        )


def doubt_frame(encoder: Any, names: list[Any]) -> None:
    """Warn of a frame to predict that lacks all or some of the learned columns."""
    if encoder.hashes() or encoder.wanted is not None:  # left to `doubt_selection`
        return
    if "columns" in encoder.warned and "unknown" in encoder.warned:
        return
    if encoder.good == (tuple(names), encoder.width):  # checked before, and nothing new since
        return
    learned = {*encoder.columns_known(), *map(str, range(encoder.array_columns()))}
    if not learned or not names:
        return
    if not any(encoder.knows(str(name)) for name in names):
        doubt_names(encoder, names)
        return
    lacking = learned.difference(map(str, names))
    if lacking:  # "a=b" may be the whole name of a column
        lacking.difference_update(name.partition("=")[0] for name in map(str, names))
    if lacking:
        encoder.warn_once(
            "columns",
            f"X lacks {list_names(sorted(lacking))}, learned before: predicted as if missing. "
            f"X has {list_names(names)}. Were columns renamed?",
        )
    else:
        encoder.good = tuple(names), encoder.width


def doubt_new_columns(encoder: Any, names: Sequence[Any]) -> None:
    """Warn of a block to learn that has new columns and lacks learned ones."""
    if encoder.hashes() or encoder.wanted is not None or "renamed" in encoder.warned:
        return
    new = [name for name in names if not encoder.knows(str(name))]
    known = known_columns(encoder) if new else []
    if not known:
        return
    if len(new) == len(names):
        found = (
            f"none of the columns {list_names(names)} was learned before; "
            f"learned were {list_names(known)}"
        )
    else:
        lacking = sorted({*map(str, known)} - {*map(str, names)})
        if not lacking:
            return
        found = (
            f"X lacks {list_names(lacking)}, learned before, "
            f"and has {list_names(new)}, which was not"
        )
    encoder.warn_once("renamed", f"{found}. New columns are new features. Were columns renamed?")


def doubt_kinds(encoder: Any, texts: Iterable[Any], numbers: Iterable[Any] = ()) -> None:
    """Warn of text where a number was learned, or of numbers where text was learned."""
    if encoder.hashes() or "kind" in encoder.warned:
        return
    for name in texts:
        if encoder.is_number(name):
            encoder.warn_once(
                "kind",
                f"column {list_names([name])} is text, but was learned as a number, too: "
                f"each of its texts is a feature of its own. Make numbers of them: float(...).",
            )
            return
    known = encoder.columns_known()
    for name in numbers:
        if str(name) in known and not encoder.was_number(name):
            encoder.warn_once(
                "kind",
                f"column {list_names([name])} is a number, but was learned as text: the number is "
                f"another feature. Make text of it: str(...).",
            )
            return


def doubt_rows(encoder: Any, X: Any, seen: int) -> None:
    """Warn of a block to predict without known features; `doubt_frame` does it for frames."""
    if isinstance(X, (list, tuple)):
        for x in X:
            encoder.doubt_example(x, seen)
    elif isinstance(X, SparseBlock):
        names = X.distinct()[0]
        if names:
            encoder.misses += len(X) - 1
            encoder.doubt_example(dict.fromkeys(names, 1.0), seen)
    elif len(getattr(X, "shape", ())) == 2 and not hasattr(X, "__arrow_c_stream__"):
        columns = range(X.shape[1])
        if not any(map(encoder.knows, map(str, columns))):  # a sparse matrix may just be empty
            doubt_names(encoder, columns)


def doubt_example(encoder: Any, x: Any, seen: int) -> None:
    """Warn of an example to predict without a known feature.

    Mappings such as bags of words may rightly have new features only. So the warning needs several
    unknown mappings in a row, and more examples learned than there are columns.
    """
    if not isinstance(x, Mapping) and not hasattr(x, "keys"):
        doubt_names(encoder, range(len(x)))
        return
    names = [name for name, value in dict(x).items() if not is_missing(value)]
    if any(not isinstance(name, str) and abs(name) > 10**18 for name in names):
        return  # too long to print
    if not names or any(map(encoder.knows, map(str, names))):
        return
    encoder.misses += 1
    if encoder.misses >= IN_A_ROW and seen > len(encoder.columns_known()) + encoder.array_columns():
        doubt_names(encoder, names)


def doubt_names(encoder: Any, names: Iterable[Any]) -> None:
    """Warn of features none of which was learned."""
    known = known_columns(encoder)
    if known and any(True for _ in names) and not encoder.hashes():
        encoder.warn_once(
            "unknown",
            f"none of the features {list_names(names)} was learned; "
            f"learned were {list_names(known)}. Predicted as if all were missing.",
        )


def known_columns(encoder: Any) -> list[Any]:
    """The learned columns in order: those of arrays, then names."""
    return [*range(encoder.array_columns()), *sorted(encoder.columns_known())]
