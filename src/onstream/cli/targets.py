"""What the targets of a stream look like: a number that is learned as labels, a sorted file."""

from collections import Counter
from typing import Any

import numpy as np

from ..core.data_warning import warn_of_data
from ..evaluate.answers import as_column

MANY = 100  # labels; a set of more is rare
SHARE = 0.02  # of rows that have a value of their own, from which on it may be a number
NEW = 0.1  # share of the values that came in the later half of the rows: those of labels are known
FIRST_LOOK, LAST_LOOK = 5_000, 200_000  # rows; after 5,000 a thousand labels have come
FEWEST = 300  # rows from which on a file may be called sorted
RUNS = 0.99  # share of rows with the label of the row before, from which on it may be
SORTED = 0.9  # the same, from which on new values do not tell of numbers
SAMPLE = 256  # rows of a block that are counted by label


class Targets:
    """Looks at the targets that classifiers learn, and says once what is probably not meant."""

    def __init__(self, name: str | None) -> None:
        self.name = "the target" if name is None else f"the target {name!r:.60}"
        self.rows = 0
        self.known: set[int] = set()
        self.met: list[int] = []  # row of the first example of each whole number
        self.look = FIRST_LOOK  # rows after which to look whether they are numbers
        self.warned = False
        self.same = 0  # rows with the label of the row before
        self.last: Any = None
        self.counts: Counter[Any] = Counter()  # of labels, about

    def add(self, y: Any) -> None:
        """Look at the next targets."""
        truth = as_column(y)
        if not len(truth) or truth.ndim != 1:
            return
        self.same += int(np.sum(truth[1:] == truth[:-1]))
        self.same += self.rows > 0 and bool(truth[0] == self.last)
        self.last = truth[-1]
        step = max(1, len(truth) // SAMPLE)
        self.counts.update({k: step * n for k, n in Counter(truth[::step].tolist()).items()})
        whole = whole_numbers(truth)
        if whole is not None and self.rows < LAST_LOOK:
            values, first = np.unique(whole, return_index=True)
            for value, row in sorted(zip(values.tolist(), first.tolist(), strict=True)):
                if value not in self.known:
                    self.known.add(value)
                    self.met.append(self.rows + row)
        self.rows += len(truth)
        if self.look <= self.rows:
            self.look = 2 * self.rows
            self.warn()

    @property
    def numeric(self) -> bool:
        """Say whether these whole numbers are so many, and still new ones, as labels rarely are."""
        late = sum(row >= self.rows / 2 for row in self.met)
        return (
            len(self.met) > max(MANY, SHARE * self.rows)
            and late > NEW * len(self.met)
            and self.same < SORTED * self.rows  # in a sorted file all labels come late
        )

    def warn(self) -> None:
        """Say, once, that a number is learned as labels; call it at the end, too."""
        if not self.warned and self.numeric:
            self.warned = True
            warn_of_data(
                f"{self.name} has {len(self.met):,} different whole numbers in {self.rows:,} rows, "
                f"and a classifier learns each as a label. If it is a number to be predicted, take "
                f"a regressor such as LinearRegression()."
            )

    def sorted_hint(self) -> str:
        """What to say of a file that is perhaps sorted by label; "" if it does not look so.

        A rare label makes long runs in any order, so that there must also be fewer changes than a
        fifth of those that a random order has.
        """
        total = sum(self.counts.values())
        changing = 1.0 - sum((n / total) ** 2 for n in self.counts.values()) if total else 0.0
        changes = self.rows - 1 - self.same
        if self.rows < FEWEST or self.same <= RUNS * self.rows:
            return ""
        if changes >= 0.2 * changing * self.rows:
            return ""
        share = f"{100 * self.same / self.rows:.1f} %"
        return (
            f"Labels come in long runs: the one before is right in {share} of the rows. If the "
            f"file is sorted by label, --shuffle {self.rows} (all of its rows, in random order) "
            f"gives an honest figure."
        )


def whole_numbers(truth: Any) -> Any:
    """The targets if all are whole numbers, also written with decimals; otherwise None."""
    if truth.dtype.kind in "iu":
        return truth
    if truth.dtype.kind != "f":
        return None
    there = truth[np.isfinite(truth)]
    fits = bool(((there % 1.0 == 0.0) & (np.abs(there) < 2**53)).all())
    return there.astype(np.int64) if len(there) and fits else None
