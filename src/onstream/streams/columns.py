"""Which columns are features, which are target and weight; and what may stand in them."""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.blocks import Block, cut, take
from ..core.arrow import as_array
from ..core.arrow_cells import numeric
from .rejects import Place, Tally

NO_TARGET = (
    "the target is missing; fill it in, or leave such rows out with on_error='skip' "
    "(--on-error skip)"
)
KINDS = ("number", "whole", "bool", "text")  # what a column may hold


@dataclass
class Schema:
    """The columns that a model has learned: what the next file must be like."""

    kinds: dict[str, str] = field(default_factory=dict)  # column: one of KINDS
    closed: bool = False  # other columns are left out
    ids: list[str] = field(default_factory=list)  # these are read beside the features, as they are
    whole: bool = False  # CSV features that look whole are read as whole numbers, not as floats
    drop: list[str] = field(default_factory=list)  # left out if they are there
    only: list[str] | None = None  # all others are left out; None: take what is there

    def arrow(self, column: str) -> Any:
        """The Arrow type that a column must have; None if nothing is known."""
        import pyarrow as pa

        types = {"number": pa.float64(), "whole": pa.int64(), "bool": pa.bool_()}
        kind = self.kinds.get(column)
        return None if kind is None else types.get(kind, pa.string())

    def wants(self, column: str) -> bool:
        """Say whether a column is one of those that the model was given before."""
        return column not in self.drop and (self.only is None or column in self.only)

    def features(self, source: str, names: list[str]) -> list[str]:
        """Those that the model knows; an error if it knows none of them."""
        names = [name for name in names if self.wants(name)]
        if not self.closed or not self.kinds or not names:
            return names
        known = [name for name in names if name in self.kinds]
        if not known:
            raise ValueError(
                f"{source}: the model knows none of its columns ({quoted(names)}); "
                f"it has learned {quoted(list(self.kinds))}."
            )
        return known


class ColumnOptions:
    """The columns that the user asks for: of any file."""

    def __init__(self, who: str, target: Any, options: Mapping[str, Any]) -> None:
        weight, only = options.get("weight"), options.get("only")
        self.who = who
        self.target = coerce_column(who, "target", target)
        self.weight = coerce_column(who, "weight", weight)
        self.drop = coerce_names(who, "drop", options.get("drop"))
        self.only = None if only is None else coerce_names(who, "only", only)
        self.expected = Schema()
        if self.target is not None and self.target == self.weight:
            raise ValueError(f"{who}: target and weight are both {target!r}.")

    def choose(self, source: str, names: list[str], index: Sequence[str] = ()) -> "ColumnChoice":
        """The columns of one file. Those of a data frame's index count only if they are named."""
        plain = [name for name in names if name not in index]

        def find(word: str, wanted: Any) -> str | None:
            if isinstance(wanted, int):
                if not -len(plain) <= wanted < len(plain):
                    raise ValueError(
                        f"{source}: {word}={wanted}, but there are {len(plain)} columns."
                    )
                refuse_twice(source, names, [plain[wanted]])  # a position means one of them
                return plain[wanted]
            if wanted is not None and wanted not in names:
                close = difflib.get_close_matches(wanted, names, 1)
                hint = f' Did you mean "{close[0]}"?' if close else ""
                raise ValueError(
                    f'{source}: there is no column "{wanted}" ({word}).{hint} '
                    f"There are {quoted(names)}."
                )
            return None if wanted is None else str(wanted)

        target, weight = find("target", self.target), find("weight", self.weight)
        dropped = {find("drop", name) for name in self.drop}
        kept = plain if self.only is None else [find("only", name) for name in self.only]
        ids = [str(find("id", name)) for name in self.expected.ids]
        other = {*dropped, *ids, target, weight}
        features = [str(name) for name in kept if name not in other]
        labels = [name for name in (target, weight) if name is not None]
        refuse_twice(source, names, [*labels, *ids], droppable=False)
        refuse_twice(source, names, features)  # those that are left out may do as they like
        if not features and index and self.only is None:
            raise ValueError(
                f"{source}: apart from target and weight there is only the index of a data frame, "
                f"which is no feature; to take it nevertheless, name it: "
                f"only=[{quoted(list(index))}]."
            )
        features = self.expected.features(source, features)
        return ColumnChoice(source, [*features, *ids], target, weight, self.expected)


def refuse_twice(
    source: str, names: list[str], wanted: list[str], *, droppable: bool = True
) -> None:
    """Refuse columns that are wanted by a name that several have."""
    if len(set(names)) == len(names):
        return
    for name in wanted:
        if (n := names.count(name)) > 1:
            times = "two" if n == 2 else f"{n:,}"
            drop = f', or leave out all that have it with drop=["{name}"]' if droppable else ""
            raise ValueError(
                f'{source}: there are {times} columns called "{name}": give each a name of its '
                f"own{drop}."
            )


def differing(source: str, first: str, names: list[str], before: list[str]) -> str:
    """The message for a file whose columns are not those of the first file."""
    return (
        f"{source}: its columns differ from those of {first}: {difference(names, before)}. Files "
        f"that are read together must have the same columns: choose those that all of them have "
        f"(only), or read this file by itself."
    )


def difference(names: list[str], before: list[str]) -> str:
    """Which names are missing, and which are new; "" if they are the same."""
    missing = [name for name in before if name not in names]
    new = [name for name in names if name not in before]
    return ", ".join(
        f"{quoted(found)} {'are' if len(found) > 1 else 'is'} {where}"
        for found, where in ((missing, "missing here"), (new, "only here"))
        if found
    )


def quoted(names: list[str]) -> str:
    """The first few names."""
    return ", ".join(f'"{name}"' for name in names[:10]) + (", ..." if len(names) > 10 else "")


@dataclass
class ColumnChoice:
    """The columns chosen of one file."""

    source: str
    features: list[str]
    target: str | None
    weight: str | None
    expected: Schema

    @property
    def all(self) -> list[str]:
        """Every column that is needed."""
        return [*self.features, *(c for c in (self.target, self.weight) if c is not None)]

    def check_types(self, schema: Any) -> None:
        """Refuse columns that no learner can take."""
        from pyarrow import types

        for name in self.all:
            kind = schema.field(name).type
            if types.is_dictionary(kind):
                kind = kind.value_type
            if not (numeric(kind) or is_text(kind) or types.is_null(kind)):
                raise ValueError(
                    f'{self.source}: column "{name}" is of type {kind}; a column must hold '
                    f'numbers, bools or text. Leave it out with drop=["{name}"].'
                )
            known = self.expected.arrow(name)
            if known is not None and not types.is_null(kind) and is_text(kind) != is_text(known):
                learned = "text" if is_text(known) else "numbers"
                raise ValueError(
                    f'{self.source}: column "{name}" is of type {kind}; the model has learned '
                    f"{learned} there."
                )

    def blocks(
        self,
        table: Any,
        tally: Tally,
        place: Callable[[int, Any], Place],
        text: Callable[[int], bytes] = lambda row: b"",
    ) -> Iterator[Block]:
        """The rows of an Arrow table as a block, without those that cannot be used.

        NaN in a feature is a missing value; infinity, a missing target, and a weight that is no
        number from 0 on reject the row. `place` and `text` give its position and its line.
        """
        import pyarrow as pa

        bad: dict[int, tuple[str, str]] = {}  # row: column and reason
        columns = {}
        for name in self.features:
            columns[name], infinite = finite_column(table.column(name))
            note(bad, infinite, name, "the number is not finite")
        y = w = None
        if self.target is not None:
            y, infinite = finite_column(table.column(self.target))
            note(bad, infinite, self.target, "the number is not finite")
            if y.null_count:
                missing = ~y.is_valid().to_numpy()
                note(bad, missing, self.target, NO_TARGET)
        if self.weight is not None:
            w = weight_column(self.source, self.weight, table.column(self.weight))
            with np.errstate(invalid="ignore"):
                wrong = ~((w >= 0.0) & (w < np.inf))
            note(bad, wrong, self.weight, "a weight must be a number from 0 on")
        X = pa.table(columns) if columns else table.select([])
        block: Block = (X, y) if w is None else (X, y, w)
        if not bad:
            yield finished(block)
            return
        if tally.on_error == "raise":
            yield finished(cut(block, 0, min(bad)))  # what comes before the error is good
        for row in sorted(bad):
            column, why = bad[row]
            tally.reject(place(row, column), why, text(row))
        good = np.array([i for i in range(table.num_rows) if i not in bad], dtype=int)
        yield finished(take(block, good))


def finished(block: Block) -> Block:
    """A block with its targets as an array. No target is missing, so whole numbers stay whole."""
    X, y, *w = block
    return (X, None if y is None else as_array(y).copy(), *w)


def note(bad: dict[int, tuple[str, str]], rows: Any, column: str, why: str) -> None:
    """Keep the first reason why each of these rows is rejected."""
    if rows is not None:
        for row in np.flatnonzero(rows).tolist():
            bad.setdefault(row, (column, why))


def finite_column(column: Any) -> tuple[Any, Any]:
    """A column with NaN as null, plain numbers only; and where it is infinite, if anywhere."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_dictionary(column.type) and numeric(column.type.value_type):
        column = column.cast(column.type.value_type)
    if types.is_decimal(column.type) or types.is_float16(column.type):
        column = column.cast(pa.float64())
    if not types.is_floating(column.type) or len(column) == 0:
        return column, None
    total = pc.sum(column).as_py()
    if total is None or np.isfinite(total):
        return column, None
    values = column.to_numpy(zero_copy_only=False).astype(np.float64)
    infinite = np.isinf(values)
    if np.isnan(values).any():
        column = pa.chunked_array([pa.array(values, mask=np.isnan(values))])
    return column, infinite if infinite.any() else None


def weight_column(source: str, name: str, column: Any) -> Any:
    """Weights as floats; NaN where there is none."""
    import pyarrow as pa

    if not numeric(column.type):
        raise ValueError(f'{source}: column "{name}" holds {column.type}, not weights.')
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)  # 2**60 + 1 is fine


def is_text(kind: Any) -> bool:
    """Say whether an Arrow type is text."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def coerce_column(who: str, word: str, name: Any) -> str | int | None:
    """A column by name, or by place as an int."""
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, int) and not isinstance(name, bool):
        return name
    raise TypeError(f"{who}: {word} must be the name of a column, got {name!r:.80}.")


def coerce_names(who: str, word: str, names: Any) -> list[str | int]:
    """A list of columns; one may be given alone."""
    if names is None:
        return []
    if isinstance(names, (str, int)):
        names = [names]
    if not hasattr(names, "__iter__"):
        raise TypeError(f"{who}: {word} must be a list of columns, got {names!r:.80}.")
    found = [coerce_column(who, word, name) for name in names]
    return [name for name in found if name is not None]
