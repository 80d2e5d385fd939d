"""Doubts about the data: names and values that are probably not what the user meant.

Each is told once per model, as a `DataWarning`. They are asked for only where it costs nothing:
once for a block, where a feature is new, or where nothing of an example was known.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .coerce import is_missing
from .data_warning import told
from .sparse import SparseBlock

NEARLY_ALL = 0.9  # of the examples: then a text column that has so many values tells nothing
MANY_VALUES = 1000  # of a text column, before it is doubted
IN_A_ROW = 10  # mappings of which nothing is known, before they are doubted


def doubt_values(encoder: Any, seen: int) -> None:
    """Warn of columns nearly every value of which is new: ids, dates, free text."""
    counts = encoder.value_counts()
    columns = [c for c, n in counts.items() if n >= MANY_VALUES and n > NEARLY_ALL * seen]
    if columns:
        those = f"column{'s' * (len(columns) > 1)} {told(columns)}"
        encoder.warn(
            "new values",
            f"{those}: nearly every value is new ({counts[columns[0]]:,} in {seen:,} examples). "
            f"Each takes memory and tells nothing about the next example. Leave such a column "
            f"out, or make numbers of it.",
        )


def doubt_selection(encoder: Any, names: Iterable[Any] | None = None) -> None:
    """Warn of names to select that a frame does not have; of other examples, if they have none."""
    wanted = encoder.selected()
    if wanted is None:
        return
    there = list(encoder.names_met() if names is None else names)
    columns = {str(name) for name in there} | {str(name).partition("=")[0] for name in there}
    lacking = sorted(wanted - columns)
    if there and lacking and (names is not None or len(lacking) == len(wanted)):
        encoder.warn(
            "selection",
            f"there is no feature {told(lacking)} to select; there are {told(there)}.",
        )


def doubt_frame(encoder: Any, names: list[Any]) -> None:
    """Warn of a frame to predict that has no column that was learned, or lacks some of them."""
    if encoder.hashes() or encoder.selected() is not None:  # told by `doubt_selection`
        return
    if encoder.has_warned("columns") and encoder.has_warned("unknown"):
        return
    if encoder.found_good(names):
        return
    learned = {*encoder.columns_known(), *map(str, range(encoder.array_columns()))}
    if not learned or not names:
        return
    if not any(encoder.knows(str(name)) for name in names):
        doubt_names(encoder, names)
        return
    lacking = learned.difference(map(str, names))
    if lacking:  # a name may have a = of its own
        lacking.difference_update(name.partition("=")[0] for name in map(str, names))
    if lacking:
        encoder.warn(
            "columns",
            f"X lacks {told(sorted(lacking))}, learned before: predicted as if missing. "
            f"X has {told(names)}. Were columns renamed?",
        )
    else:
        encoder.find_good(names)


def doubt_new_columns(encoder: Any, names: Sequence[Any]) -> None:
    """Warn of a block to learn with columns that are new, in the place of others that it lacks."""
    if encoder.hashes() or encoder.selected() is not None or encoder.has_warned("renamed"):
        return
    known = [*range(encoder.array_columns()), *sorted(encoder.columns_known())]
    new = [name for name in names if not encoder.knows(str(name))]
    if not known or not new:
        return
    if len(new) == len(names):
        told_of = (
            f"none of the columns {told(names)} was learned before; learned were {told(known)}"
        )
    else:
        lacking = sorted({*map(str, known)} - {*map(str, names)})
        if not lacking:
            return
        told_of = f"X lacks {told(lacking)}, learned before, and has {told(new)}, which was not"
    encoder.warn("renamed", f"{told_of}. New columns are new features. Were columns renamed?")


def doubt_kinds(encoder: Any, texts: Iterable[Any], numbers: Iterable[Any] = ()) -> None:
    """Warn of text where a number was learned, and of numbers where text was."""
    if encoder.hashes() or encoder.has_warned("kind"):
        return
    for name in texts:
        if encoder.is_number(name):
            encoder.warn(
                "kind",
                f"column {told([name])} is text, but was learned as a number, too: each of its "
                f"texts is a feature of its own. Make numbers of them: float(...).",
            )
            return
    known = encoder.columns_known()
    for name in numbers:
        if str(name) in known and not encoder.was_number(name):
            encoder.warn(
                "kind",
                f"column {told([name])} is a number, but was learned as text: the number is "
                f"another feature. Make text of it: str(...).",
            )
            return


def doubt_rows(encoder: Any, X: Any, seen: int) -> None:
    """Warn of a block to predict of which nothing is known; frames are judged by their columns."""
    if isinstance(X, (list, tuple)):
        for x in X:
            encoder.doubt_example(x, seen)
    elif isinstance(X, SparseBlock):
        names = X.distinct()[0]
        if names:
            encoder.missed(len(X) - 1)
            encoder.doubt_example(dict.fromkeys(names, 1.0), seen)
    elif len(getattr(X, "shape", ())) == 2 and not hasattr(X, "__arrow_c_stream__"):
        columns = range(X.shape[1])
        if not any(map(encoder.knows, map(str, columns))):  # a sparse matrix may just be empty
            doubt_names(encoder, columns)


def doubt_example(encoder: Any, x: Any, seen: int) -> None:
    """Warn of an example to predict of which nothing is known.

    In mappings words may come and go: there must be more examples than columns by now, and nothing
    be known of several in a row.
    """
    if not isinstance(x, Mapping) and not hasattr(x, "keys"):
        doubt_names(encoder, range(len(x)))
        return
    names = [name for name, value in dict(x).items() if not is_missing(value)]
    if any(not isinstance(name, str) and abs(name) > 10**18 for name in names):
        return  # too long to be written down
    if not names or any(map(encoder.knows, map(str, names))) or encoder.missed() < IN_A_ROW:
        return
    if seen > len(encoder.columns_known()) + encoder.array_columns():
        doubt_names(encoder, names)


def doubt_names(encoder: Any, names: Iterable[Any]) -> None:
    """Warn of features none of which was learned."""
    known = [*range(encoder.array_columns()), *sorted(encoder.columns_known())]
    if known and any(True for _ in names) and not encoder.hashes():
        encoder.warn(
            "unknown",
            f"none of the features {told(names)} was learned; learned were {told(known)}. "
            f"Predicted as if all were missing.",
        )
