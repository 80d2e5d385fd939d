"""Some of the members of an ensemble, in a process of their own: each call is obeyed once.

A group reads every example as the whole ensemble does, so its features and labels have the same
numbers everywhere; only its members are fewer. What they vote goes back, member by member.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..core.state_reader import StateReader
from ..ensemble._ballots import Ballots
from ..persist.format import loads
from ..select._labels import EvolvingLabelState
from ..select._numbers import EvolvingNumberState
from ..select.space import learner_of
from .travel import bytes_to_fields, fields_to_bytes

Order = tuple[int, str, tuple[Any, ...], bytes | None]  # member, verb, how; what a parent learned
MISSED = "members could not learn"  # the one warning that only members can give


@dataclass(frozen=True)
class Learned:
    """What came of a call."""

    seen: int  # examples, after it
    votes: Any = None  # of each row and member, if they were asked for
    widths: Any = None  # numbers of a vote, for each row
    error: str | None = None  # why rows were refused
    warnings: list[str] = field(default_factory=list)


class MemberGroup:
    """Members `first` to `stop` - 1 of an ensemble."""

    def __init__(self, template: bytes, first: int, stop: int, state: bytes) -> None:
        self.learner = with_members(template, state, lambda all: keep(all, first, stop))
        self.selects = is_selection(self.learner._model.readable_state())
        self.last: tuple[int, Any] | None = None

    def learn(self, sequence: int, given: tuple[Any, Any, Any], asked: bool) -> Learned:
        """Learn a call, unless it came before: the last one gets the answer that it got."""
        if self.last is not None and sequence <= self.last[0]:
            return self.last[1]
        learner, error, ballots = self.learner, None, None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if asked or self.selects:
                    ballots = self._ballots()
                if asked:
                    learner.predict_learn_many(*given)
                else:
                    learner.learn_many(*given)
            except (ValueError, TypeError, MemoryError) as refused:
                error = f"{type(refused).__name__}: {refused}"
            finally:
                committee_of(learner._model).ballots = None
        votes, widths = ballots.noted() if ballots is not None else (None, None)
        told = [str(item.message) for item in caught if MISSED in str(item.message)]
        answer = Learned(learner.seen, votes, widths, error, told)
        self.last = (sequence, answer)
        return answer

    def learned_by(self, member: int) -> bytes:
        """What a member of the group has learned: for a child elsewhere."""
        return fields_to_bytes(committee_of(self.learner._model).members[member].learned())

    def renew(self, sequence: int, orders: list[Order]) -> list[bool]:
        """Let members become others, unless this call came before; say who kept what was given."""
        if self.last is not None and sequence <= self.last[0]:
            found: list[bool] = self.last[1]
            return found
        committee = committee_of(self.learner._model)
        kept = []
        for member, verb, given, learned in orders:
            if verb == "begin":
                genes, number, t = given
                fields = None if learned is None else bytes_to_fields(learned)
                space = self.learner._model.readable_state().search.space
                learner = learner_of(space, genes)
                kept.append(committee.members[member].begin(genes, learner, number, t, fields))
            else:
                getattr(committee.members[member], verb)(*given)
        committee.look()
        self.last = (sequence, kept)
        return kept

    def predict(self, X: Any) -> tuple[Any, Any]:
        """What the members vote for each row."""
        ballots = self._ballots()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.learner.predict_many(X)
        finally:
            committee_of(self.learner._model).ballots = None
        votes, widths = ballots.noted()
        return votes, widths

    def _ballots(self) -> Any:
        """Something to note votes in, until this call ends."""
        committee = committee_of(self.learner._model)
        committee.ballots = Ballots(len(committee.members))
        return committee.ballots

    def state(self) -> bytes:
        """What the members, and the ensemble around them, have learned."""
        return fields_to_bytes(self.learner._snapshot())


def with_members(template: bytes, state: bytes, choose: Callable[[Any], object]) -> Any:
    """An ensemble with only those members that `choose` leaves, in this state."""
    learner = loads(template)
    model = learner._new_model()
    choose(model.readable_state())
    fields = StateReader(bytes_to_fields(state))
    model.restore(fields)
    fields.done()
    learner._model.become(model)
    return learner


def keep(state: Any, first: int, stop: int) -> None:
    """Let go of all other members; those of a selection only vote and learn."""
    state.committee.keep(first, stop)
    if is_selection(state):
        state.only_vote()


def send_away(state: Any) -> None:
    """Let go of all members; of those of a selection the shells stay, with their merits."""
    state.committee.send_away(is_selection(state))


def is_selection(state: Any) -> bool:
    """Say whether members are judged, and replaced at turns."""
    return isinstance(state, (EvolvingLabelState, EvolvingNumberState))


def committee_of(model: Any) -> Any:
    """The members behind a model."""
    return model.readable_state().committee
