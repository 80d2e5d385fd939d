"""Rows of tables with text, missing or nominal values, packed piece by piece.

The numbers of a column are one NumPy array, and a mask says which of them are there (None: all). A
text column has the distinct texts, and their index in each row that has one. Only a piece at a time
is put together as a matrix, so that a long table needs little memory besides its own.
"""

from typing import Any, NamedTuple

import numpy as np

from .coerce import number_text
from .rows import Cells
from .sources import Columns

PIECE = 1 << 15  # cells that are put together at a time


class Table(NamedTuple):
    """Columns of numbers and of texts."""

    names: list[Any]
    numbers: list[Any]  # for each column an array; None: it is text
    present: list[Any]  # for each column a mask of the rows that have a value; None: all
    texts: dict[int, tuple[list[str], Any]]  # for each text column its texts, and which rows have
    rows: int


def numbers_table(names: list[Any], X: Any, gaps: bool) -> Table:
    """An array as a table; with `gaps` NaN is missing."""
    missing = [np.isnan(column) if gaps else None for column in X.T]
    present = [~mask if mask is not None and mask.any() else None for mask in missing]
    return Table(names, list(X.T), present, {}, len(X))


def one_hot_rows(encoder: Any, table: Table, learning: bool, weights: Any) -> Any:
    """Rows in which a text is a feature `name=text`, which comes with the first row that has it."""
    refuse_infinite(encoder, table)
    features: list[str] = []
    firsts = []  # index of the first feature of each column
    for j, name in enumerate(table.names):
        firsts.append(len(features))
        features.extend(
            [f"{name}={text}" for text in table.texts[j][0]] if j in table.texts else [name]
        )
    cells = Cells(encoder, features, table.rows, table.rows * len(firsts), learning, weights)
    for values, present, codes in pieces(encoder, table):
        which = np.array(firsts) + np.maximum(codes, 0)
        cells.add(which[present], values[present], starts_of(present))
    source = cells.rows()
    for j, (texts, _) in table.texts.items():
        if learning and 8 * len(texts) > table.rows:  # otherwise most of its values are repeated
            encoder.count_new_texts(table.names[j], texts)
    return source


def nominal_rows(encoder: Any, table: Table, learning: bool, weights: Any) -> Any:
    """Rows for a learner with nominal values: a text is the value of its column."""
    complete = table.rows and table.names and all(mask is None for mask in table.present)
    if weights is None and complete:
        source = complete_rows(encoder, table, learning)
        if source is not None:
            return source
    refuse_infinite(encoder, table)
    texts: dict[int, tuple[list[str], Any]] = {}
    for j, name in enumerate(table.names):
        if j in table.texts:
            texts[j] = table.texts[j]
        elif encoder.is_categorical(name):
            numbers = np.asarray(table.numbers[j], dtype=np.float64)
            numbers = numbers if table.present[j] is None else numbers[table.present[j]]
            distinct, codes = np.unique(numbers[~np.isnan(numbers)], return_inverse=True)
            texts[j] = [number_text(number) for number in distinct], codes
    all_texts: list[str] = []
    firsts = np.zeros(len(table.names), dtype=np.int64)  # index of the first text of each column
    for j, (own, _) in texts.items():
        firsts[j] = len(all_texts)
        all_texts.extend(own)
    room = table.rows * len(table.names)
    cells = Cells(encoder, table.names, table.rows, room, learning, weights, all_texts)
    for values, present, codes in pieces(encoder, table._replace(texts=texts)):
        which = np.broadcast_to(np.arange(len(table.names)), values.shape)
        text_of = np.where(codes < 0, -1, codes + firsts)
        cells.add(which[present], values[present], starts_of(present), text_of[present])
    return cells.rows()


def complete_rows(encoder: Any, table: Table, learning: bool) -> Any:
    """Rows with a finite value in every column; None if some value is missing or not finite."""
    columns: list[Any] = []
    texts, peak = {j: own for j, (own, _) in table.texts.items()}, 0.0
    if not encoder.nan_missing:
        return None
    for j, name in enumerate(table.names):
        if j in texts:
            columns.append(table.texts[j][1])
            continue
        numbers = table.numbers[j]
        low, high = float(numbers.min()), float(numbers.max())
        if not (-np.inf < low and high < np.inf):  # also refuses NaN
            return None
        peak = max(peak, -low, high)
        if encoder.is_categorical(name):
            distinct, numbers = np.unique(numbers, return_inverse=True)
            texts[j] = [number_text(float(number)) for number in distinct]
        columns.append(numbers)
    return Columns(encoder, table.names, columns, texts, learning, peak)


def refuse_infinite(encoder: Any, table: Table) -> None:
    """Refuse the first number that is not finite; NaN only if it does not mean missing."""
    found = []
    for j, numbers in enumerate(table.numbers):
        if numbers is not None and numbers.dtype.kind == "f":
            wrong = np.isinf(numbers) if encoder.nan_missing else ~np.isfinite(numbers)
            if table.present[j] is not None:
                wrong &= table.present[j]
            if wrong.any():
                row = int(np.argmax(wrong))
                found.append((row, j, float(numbers[row])))
    if found:
        row, j, number = min(found)
        encoder.bad_value(table.names[j], number, row)


def pieces(encoder: Any, table: Table) -> Any:
    """Values of some rows after the others, which of them are there, and codes of texts or -1."""
    n = len(table.names)
    step = max(1, PIECE // max(1, n))
    used = dict.fromkeys(table.texts, 0)  # codes so far, for each text column
    for start in range(0, table.rows, step):
        shape = min(step, table.rows - start), n
        values, present = np.ones(shape), np.ones(shape, dtype=bool)
        codes = np.full(shape, -1, dtype=np.int64)
        for j in range(n):
            if table.numbers[j] is not None:
                values[:, j] = table.numbers[j][start : start + step]
            if table.present[j] is not None:
                present[:, j] = table.present[j][start : start + step]
        if encoder.nan_missing:
            present &= ~np.isnan(values)
        wrong = present & ~np.isfinite(values)
        if wrong.any():  # another thread has changed them
            row, j = map(int, np.argwhere(wrong)[0])
            encoder.bad_value(table.names[j], float(values[row, j]), start + row)
        for j, (_, own) in table.texts.items():
            here = present[:, j]
            last = used[j] + int(here.sum())
            codes[here, j] = own[used[j] : last]
            used[j] = last
        yield values, present, codes


def starts_of(present: Any) -> Any:
    """Where the entries of each row begin, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(present.sum(axis=1))])
