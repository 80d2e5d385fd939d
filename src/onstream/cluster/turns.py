"""A selection over workers: members live there, and are judged where their votes meet.

Rows go to the workers up to the next turn of the search. The ensemble reads them with the votes
that come back, judges the members, and lets the search turn, as on one machine; its members are
shells that note what they are told to become. These orders go to the workers, with what a parent
has learned, before the next rows do.
"""

from typing import Any

import numpy as np

from ..base.blocks import count_rows, cut_part
from ..ensemble._ballots import Ballots
from .member_group import Order


class Turns:
    """The turns within one call to a spread selection."""

    def __init__(self, spread: Any, given: tuple[Any, Any, Any], asked: bool) -> None:
        self.spread, self.given, self.asked = spread, given, asked
        self.rows = count_rows(given[0]) or 0
        self.row = 0  # the first one that workers do not have
        self.wanted = spread.interval - spread.front.seen % spread.interval  # rows to the next turn
        self.failure: BaseException | None = None
        self.orders: list[Any] = []
        self.committee = spread.committee
        for member in self.committee.members:
            member.orders = self.orders
        self.committee.relay = self.turned

    def turned(self) -> None:
        """The search has turned, amid the rows. Called where nothing can be raised."""
        if self.failure is not None:
            return
        try:
            self.wanted = self.spread.interval
            self.pass_on()
            if self.row < self.rows:
                self.learn_part()
        except BaseException as failure:  # also Ctrl-C: raised when the call has come back
            self.failure = failure
            self.committee.ballots = Ballots(self.spread.n_models, ())

    def end(self) -> None:
        """The call is over."""
        self.committee.relay = None

    def learn_part(self) -> None:
        """Let workers learn the rows up to the next turn; the ensemble gets their votes."""
        end = self.turn()
        part = tuple(cut_part(each, self.row, end) for each in self.given)
        self.row = end
        self.spread._learn_rows(self.spread.pool.put(part), self.asked, votes=True)

    def turn(self) -> int:
        """Where the part ends: after the row at which the search turns.

        Rows of no weight do not count.
        """
        if self.given[2] is None:
            return min(self.row + self.wanted, self.rows)
        try:
            heavy = np.flatnonzero(np.asarray(self.given[2], dtype=np.float64)[self.row :])
        except (ValueError, TypeError):  # they will be refused
            return self.rows
        return (
            self.row + int(heavy[self.wanted - 1]) + 1 if len(heavy) >= self.wanted else self.rows
        )

    def pass_on(self) -> None:
        """Let the members elsewhere become what their shells have become."""
        if not self.orders:
            return
        spread = self.spread
        number = {id(member): m for m, member in enumerate(self.committee.members)}
        orders: list[list[Order]] = [[] for _ in range(spread.workers)]
        wanted: list[list[bool]] = [[] for _ in range(spread.workers)]
        for member, verb, given, parent in self.orders:
            learned = None if parent is None else spread._learned_by(number[id(parent)])
            worker, place = spread._place(number[id(member)])
            orders[worker].append((place, verb, given, learned))
            if verb == "begin":
                wanted[worker].append(parent is not None)
        self.orders.clear()
        if spread._tell("renew", [(own,) for own in orders]) != wanted:
            raise RuntimeError("MemberParallel: a child could not take over what its parent knew")
