"""The columns that a model has learned, by name and type, as its file keeps them."""

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from ..core.arrow_cells import numeric
from ..core.data_warning import warn_of_data
from ..persist import load_notes, save
from ..streams.columns import KINDS, Schema, is_text, quoted
from .console import remark


class LearnedColumns:
    """The columns seen so far; kept in the notes of a model's file."""

    def __init__(self, target: str | None = None) -> None:
        self.kinds: dict[str, str] = {}
        self.target = target
        self.target_kind = ""
        self.drop: list[str] | None = None  # columns that the user left out
        self.only: list[str] | None = None  # columns that the user chose
        self._last: Any = None

    @classmethod
    def of_file(cls, path: str | PathLike[str]) -> "LearnedColumns":
        """Those in the notes of a file; none, if it was not written by the command line."""
        notes, found = load_notes(path), cls()
        found.kinds = {
            name: kind
            for name, kind in pairs(notes.get("columns"))
            if isinstance(name, str) and kind in KINDS
        }
        for name, kind in pairs([notes.get("target")]):
            if isinstance(name, str) and kind in KINDS:
                found.target, found.target_kind = name, kind
        found.drop, found.only = names_in(notes.get("drop")), names_in(notes.get("only"))
        return found

    def add(self, block: tuple[Any, ...]) -> None:
        """Note the columns of a block; the first type of a column holds."""
        X, y = block[0], block[1]
        schema = getattr(X, "schema", None)
        if schema is None or not X.num_rows or (self._last is not None and schema == self._last):
            return
        all_known = True
        for name, column in zip(schema.names, X.columns, strict=True):
            kind = kind_of(column.type) if column.null_count < X.num_rows else ""
            if kind:
                self.kinds.setdefault(name, kind)
            all_known = all_known and name in self.kinds
        if all_known:
            self._last = schema
        if self.target is not None and not self.target_kind and y is not None:
            self.target_kind = kind_of_labels(y)

    def schema(
        self,
        *,
        closed: bool,
        labelled: bool = False,
        goes_on: bool = False,
        ids: list[str] | None = None,
    ) -> Schema:
        """What the next file must be like; if `closed`, other columns are left out.

        If `labelled`, the target must have the type it had. If learning `goes_on`, the columns that
        were left out before are left out again.
        """
        kinds = dict(self.kinds)
        # Whole numbers may be followed by fractions; other types stay.
        if labelled and self.target is not None and self.target_kind not in ("", "whole"):
            kinds[self.target] = self.target_kind
        found = Schema(kinds, closed, ids or [])
        if goes_on:
            found.drop, found.only = self.drop or [], self.only
        return found

    def choose(self, drop: list[str] | None, only: list[str] | None) -> None:
        """Note the columns that the user drops or chooses; without any, the last choice stays."""
        if drop is not None or only is not None:
            self.drop, self.only = drop, only

    def join(self, other: "LearnedColumns") -> None:
        """Add the columns of another model; of two types, the first holds."""
        self.kinds = {**other.kinds, **self.kinds}
        if self.target is None:
            self.target, self.target_kind = other.target, other.target_kind

    def watch(self, source: str, dropped: Iterable[str]) -> "ColumnWatch":
        """What reports which of these columns a source lacks, and which are new."""
        left_out = {*dropped, self.target}
        return ColumnWatch(source, [name for name in self.kinds if name not in left_out])

    def notes(self) -> dict[str, Any]:
        """The notes for a model's file."""
        found: dict[str, Any] = {}
        if self.kinds:
            found["columns"] = [[name, kind] for name, kind in self.kinds.items()]
            if self.target is not None and self.target_kind:
                found["target"] = [self.target, self.target_kind]
            chosen = {"drop": self.drop, "only": self.only}
            found |= {option: names for option, names in chosen.items() if names is not None}
        return found

    def save(self, model: Any, path: str | PathLike[str]) -> None:
        """Write a model with these notes."""
        save(model, path, notes=self.notes())


class ColumnWatch:
    """Reports, in a line each, which learned columns a source lacks, or has no value in."""

    def __init__(self, source: str, learned: list[str]) -> None:
        self.source = "standard input" if source == "-" else source
        self.learned = learned
        self.empty = set(learned)  # no value has come there yet
        self.begun = False
        self.rows = 0
        self.new: list[str] = []  # that the source has, and no model has learned

    def check(self, X: Any) -> None:
        """Look at the next block of rows."""
        names = set(getattr(X, "column_names", None) or ())
        self.rows += getattr(X, "num_rows", 0)
        if not names or not self.empty:
            return
        if not self.begun:
            self.begun = True
            self.new = [name for name in X.column_names if name not in self.empty]
            lacking = [name for name in self.learned if name not in names]
            if lacking and len(lacking) == len(self.learned):
                there = quoted(sorted(names))
                raise ValueError(
                    f"{self.source}: the model knows none of its columns ({there}); "
                    f"it has learned {quoted(self.learned)}."
                )
            if lacking:
                several = "are no columns" if len(lacking) > 1 else "is no column"
                self._warn(f"there {several} {quoted(lacking)}, which the model has learned")
            self.empty &= names
        for name in list(self.empty):
            if X.column(name).null_count < X.num_rows:
                self.empty.discard(name)

    def report_new(self) -> None:
        """One line about the columns that are learned from now on."""
        if self.new:
            several = "columns" if len(self.new) > 1 else "column"
            remark(
                f"{self.source}: new {several}: {quoted(self.new)}, which the model has not "
                f"learned before; if they are no features, leave them out by --drop."
            )

    def end(self, least: int) -> None:
        """Report columns without a value, unless there were fewer than `least` rows."""
        if self.begun and self.empty and self.rows >= least:
            none = [name for name in self.learned if name in self.empty]
            several = "columns" if len(none) > 1 else "column"
            self._warn(
                f"no row has a value in {several} {quoted(none)}, which the model has learned"
            )

    def _warn(self, what: str) -> None:
        """One line, as a learner would give it."""
        warn_of_data(f"{self.source}: {what}; taken as missing. Was something renamed?")


def names_in(value: Any) -> list[str] | None:
    """The names in a list; None if there is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else None


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """The pairs in a list; anything else that a file may hold there is ignored."""
    listed = value if isinstance(value, list) else []
    return [(item[0], item[1]) for item in listed if isinstance(item, list) and len(item) == 2]


def kind_of(type: Any) -> str:
    """What a column of this Arrow type holds; "" if it has no values."""
    from pyarrow import types

    if types.is_dictionary(type):
        type = type.value_type
    if types.is_boolean(type):
        return "bool"
    if is_text(type):
        return "text"
    return "number" if numeric(type) else ""


def kind_of_labels(y: Any) -> str:
    """What the targets are."""
    kind = np.asarray(y).dtype.kind
    return {"b": "bool", "i": "whole", "u": "whole", "f": "number"}.get(kind, "text")
