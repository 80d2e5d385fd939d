"""What all statistics share."""

from typing import Self

from numpy.typing import ArrayLike

from ..base.errors import NotMergeable
from ..base.part import StatefulPart
from ._statistic import StatisticBase


class Statistic(StatisticBase, StatefulPart):
    """A number that sums up a sequence of values, kept up to date value by value."""

    def update_many(self, values: ArrayLike, w: ArrayLike | None = None) -> None:
        """Take many values: the same, bit for bit, as a loop of `update`."""
        self._state.update_many(values, w)

    def merge(self, other: Self) -> None:
        """Absorb a statistic of the same kind over other values."""
        if type(other) is not type(self) or other != self:
            raise NotMergeable(f"{self!r} cannot be merged with {other!r:.80}.")
        if other is self:
            raise NotMergeable(f"{type(self).__name__}: a statistic cannot be merged with itself.")
        self._state.merge(other._state)
