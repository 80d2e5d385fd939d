"""What a saved model remembers of the columns that it has learned: their names and types."""

from os import PathLike
from typing import Any

import numpy as np

from ..core.data_warning import warn_of_data
from ..persist import load_notes, save
from ..streams.columns import KINDS, Expected, is_number, is_text, quoted
from .paper import remark

MANY_ROWS = 100  # of features that come and go, before one that never came is missed


class Memory:
    """The columns met so far; stands in the notes of a model's file."""

    def __init__(self, target: str | None = None) -> None:
        self.kinds: dict[str, str] = {}
        self.target = target
        self.target_kind = ""
        self.drop: list[str] | None = None  # columns that the user left out
        self.only: list[str] | None = None  # columns that the user chose
        self._last: Any = None

    @classmethod
    def of(cls, path: str | PathLike[str]) -> "Memory":
        """What a file remembers; nothing, if it was not written by the command line."""
        notes = load_notes(path)
        found = cls()
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

    def meet(self, block: tuple[Any, ...]) -> None:
        """Take note of the columns of a block; the first type of a column holds."""
        X, y = block[0], block[1]
        schema = getattr(X, "schema", None)
        if schema is None or not X.num_rows or (self._last is not None and schema == self._last):
            return
        all_known = True
        for name, column in zip(schema.names, X.columns, strict=True):
            told = kind_of(column.type) if column.null_count < X.num_rows else ""
            if told:
                self.kinds.setdefault(name, told)
            all_known = all_known and name in self.kinds
        if all_known:
            self._last = schema
        if self.target is not None and not self.target_kind and y is not None:
            self.target_kind = kind_of_labels(y)

    def expected(
        self,
        *,
        closed: bool,
        labelled: bool = False,
        goes_on: bool = False,
        ids: list[str] | None = None,
    ) -> Expected:
        """What the next file is to be like; if `closed`, other columns are left out.

        If it is `labelled`, the target is to be what it was. Who `goes_on` learning leaves out what
        was left out before.
        """
        kinds = dict(self.kinds)
        # Whole numbers may be the first of others; all else holds for labels, too.
        if labelled and self.target is not None and self.target_kind not in ("", "whole"):
            kinds[self.target] = self.target_kind
        found = Expected(kinds, closed, ids or [])
        if goes_on:
            found.drop, found.only = self.drop or [], self.only
        return found

    def choose(self, drop: list[str] | None, only: list[str] | None) -> None:
        """Take note of the columns that the user leaves out or chooses; else the last ones hold."""
        if drop is not None or only is not None:
            self.drop, self.only = drop, only

    def join(self, other: "Memory") -> None:
        """Take what another model remembers, too; of two types, the first holds."""
        self.kinds = {**other.kinds, **self.kinds}
        if self.target is None:
            self.target, self.target_kind = other.target, other.target_kind

    def watch(
        self, source: str, dropped: list[str] | None, ids: list[str] | None = None
    ) -> "Watch":
        """Somebody who tells which of these columns a source lacks, and which are new."""
        left_out = {*(dropped or ()), *(ids or ()), self.target}
        return Watch(source, [name for name in self.kinds if name not in left_out])

    def notes(self) -> dict[str, Any]:
        """The same for a model's file."""
        found: dict[str, Any] = {}
        if self.kinds:
            found["columns"] = [[name, kind] for name, kind in self.kinds.items()]
            if self.target is not None and self.target_kind:
                found["target"] = [self.target, self.target_kind]
            chosen = {"drop": self.drop, "only": self.only}
            found |= {option: names for option, names in chosen.items() if names is not None}
        return found

    def save(self, model: Any, path: str | PathLike[str]) -> None:
        """Write a model and what it remembers."""
        save(model, path, notes=self.notes())


class Watch:
    """Tells, in a line each, which learned columns a source does not have, or has no value in."""

    def __init__(self, source: str, learned: list[str]) -> None:
        self.source = "standard input" if source == "-" else source
        self.learned = learned
        self.empty = set(learned)  # no value has come there yet
        self.begun = False
        self.rows = 0
        self.new: list[str] = []  # that the source has, and nobody has learned

    def see(self, X: Any) -> None:
        """A block of rows comes."""
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
                self.tell(f"there {several} {quoted(lacking)}, which the model has learned")
            self.empty &= names
        for name in list(self.empty):
            if X.column(name).null_count < X.num_rows:
                self.empty.discard(name)

    def tell_new(self) -> None:
        """One line about the columns that are learned from now on."""
        if self.new:
            several = "columns" if len(self.new) > 1 else "column"
            remark(
                f"{self.source}: new {several}: {quoted(self.new)}, which the model has not "
                f"learned before; if they are no features, leave them out by --drop."
            )

    def end(self, least: int) -> None:
        """All rows have come; fewer than `least` say nothing about what never came."""
        if self.begun and self.empty and self.rows >= least:
            none = [name for name in self.learned if name in self.empty]
            several = "columns" if len(none) > 1 else "column"
            self.tell(
                f"no row has a value in {several} {quoted(none)}, which the model has learned"
            )

    def tell(self, what: str) -> None:
        """One line, as of a learner."""
        warn_of_data(f"{self.source}: {what}; taken as missing. Was something renamed?")


def names_in(value: Any) -> list[str] | None:
    """The names in a list; None if there is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else None


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """The pairs in a list, whatever else somebody has written there."""
    listed = value if isinstance(value, list) else []
    return [(item[0], item[1]) for item in listed if isinstance(item, list) and len(item) == 2]


def kind_of(type: Any) -> str:
    """What a column of this Arrow type holds; "" if nothing has come there."""
    from pyarrow import types

    if types.is_dictionary(type):
        type = type.value_type
    if types.is_boolean(type):
        return "bool"
    if is_text(type):
        return "text"
    return "number" if is_number(type) else ""


def kind_of_labels(y: Any) -> str:
    """What the targets are."""
    kind = np.asarray(y).dtype.kind
    return {"b": "bool", "i": "whole", "u": "whole", "f": "number"}.get(kind, "text")
