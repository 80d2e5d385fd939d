"""An ensemble whose members are spread over workers, in groups: the same answers as on one machine.

Every worker gets every row, and lets its own members learn it. Their votes come back member by
member, and the ensemble itself adds them in the order of the members: so an answer is that of one
machine in every bit. A lost worker begins again from the last snapshot of its members.
"""

import copy
from contextlib import suppress
from threading import RLock
from typing import Any, Self

import numpy as np

from ..base.blocks import count_rows, cut_part
from ..base.checks import whole
from ..compat.extras import needed
from ..core.data_warning import warn_of_data
from ..ensemble._ballots import Ballots
from ..ensemble.base import Ensemble
from ..persist.format import dumps, loads
from ..select.base import Selection
from .engine import WorkerLost, engine_of
from .member_group import Learned, MemberGroup, committee_of, send_away, with_members
from .travel import bytes_to_fields, fields_to_bytes
from .turns import Turns

Logged = tuple[str, list[Any]]  # a call of all workers, and what each of them was given
MOST_ROWS = 2**62
PATIENCE = 5  # times that a worker is lost in a row
TOGETHER = 1 << 22  # numbers of votes that a prediction gathers at once


class MemberParallel:
    """An ensemble with its members on several workers, for those that one core is too slow for.

    Predictions are those of the ensemble on one machine, bit for bit, and so is `model()`. A call
    costs a message to every worker, so give it blocks of 1,000 rows and more. Votes travel: rows x
    members x labels numbers of 8 bytes, where a prediction is asked for.

    Parameters
    ----------
    model : ensemble, or pipeline that ends in one
        `AdaptiveRandomForestClassifier`, `StreamingRandomPatchesClassifier`, `OnlineBagging`, and
        their regressors: ensembles whose members never look at each other. `EvolvingClassifier` and
        `EvolvingRegressor` without `max_bytes`: workers wait for each other at every turn of the
        search. It stays as it is.
    engine : "ray", "local" or a `Ray`, default "ray"
        Where the workers are; "local" is this process, for tests.
    workers : int > 0, default 2
        How many; fewer, if there are not as many members.
    snapshot_every : int > 0, default 100_000
        Rows from one snapshot of the members to the next. The rows since are kept, for workers that
        are lost.

    Examples
    --------
    >>> from onstream.ensemble import AdaptiveRandomForestClassifier
    >>> from onstream.streams import SEA
    >>> X, y = SEA(seed=1).block(2000)
    >>> forest = AdaptiveRandomForestClassifier(n_models=4, seed=1)
    >>> with MemberParallel(forest, engine="local") as spread:
    ...     guesses = spread.predict_learn_many(X, y)
    ...     learned = spread.model()
    >>> bool((guesses == forest.predict_learn_many(X, y)).all())
    True
    >>> learned.seen
    2000
    """

    def __init__(
        self, model: Any, engine: Any = "ray", workers: int = 2, *, snapshot_every: int = 100_000
    ) -> None:
        ensemble = checked_ensemble(model)
        selects = self.selects = isinstance(ensemble, Selection)
        self.interval = (ensemble.interval or MOST_ROWS) if selects else 0  # from turn to turn
        n = self.n_models = ensemble.population if selects else ensemble.n_models
        self.workers = min(whole(self, "workers", workers, least=1), n)
        self.snapshot_every = whole(self, "snapshot_every", snapshot_every, least=1)
        self.template = dumps(model)  # refuses what cannot travel
        self.bounds = [n * k // self.workers for k in range(self.workers + 1)]
        self.lock = RLock()
        fields = model._snapshot()
        self.states = [part_of(fields, *self._group(k)) for k in range(self.workers)]
        self.state = part_of(fields, 0, n if selects else 0)  # of the ensemble around them
        self.front = self._new_front()
        self.calls: list[tuple[Any, bool]] = []  # of the user since the snapshot: rows, "answer?"
        self.log: list[Logged] = []  # what workers were told since
        self.sequence = self.rows = 0
        self.unfinished = False  # was a call broken off?
        self.pool = pool_of(engine, self)

    def _group(self, worker: int) -> tuple[int, int]:
        return self.bounds[worker], self.bounds[worker + 1]

    def _place(self, member: int) -> tuple[int, int]:
        """The worker of a member, and its number there."""
        worker = next(k for k in range(self.workers) if member < self.bounds[k + 1])
        return worker, member - self.bounds[worker]

    def _new_front(self) -> Any:
        """The ensemble without its members: it reads, adds votes, and knows labels."""
        return with_members(self.template, self.state, send_away)

    # -- learning

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn every row."""
        self._learn((X, y, w), None)

    def predict_learn_many(self, X: Any, y: Any, w: Any = None, **output: Any) -> Any:
        """Test, then train: what was predicted for each row; `output` as the ensemble has it."""
        return self._learn((X, y, w), output)

    def _learn(self, given: tuple[Any, Any, Any], output: dict[str, Any] | None) -> Any:
        with self.lock:
            self._take_up()
            self.unfinished = True
            self.calls.append((self.pool.put(given), output is not None))
            try:
                answer = self._go_over(given, output)
            except Disagreement as refused:
                self._undo()
                raise ValueError(str(refused)) from None
            finally:  # rows that were refused are refused here, too
                self.rows += count_rows(given[0]) or 0
                if self.rows >= self.snapshot_every and not self.unfinished:
                    self.snapshot()
            return answer

    def _go_over(self, given: tuple[Any, Any, Any], output: dict[str, Any] | None) -> Any:
        """Let the workers learn the rows, and the ensemble read them with the votes for them."""
        asked, self.committee = output is not None, committee_of(self.front._model)
        verb, options = ("predict_learn_many", output) if output is not None else ("learn_many", {})
        turns = Turns(self, given, asked) if self.selects else None
        try:
            if turns:
                turns.learn_part()
            else:
                self._learn_rows(self.calls[-1][0], asked, votes=asked)
            try:
                answer = getattr(self.front, verb)(*given, **options)
            finally:
                if turns is None or turns.failure is None:
                    self.unfinished = self.front.seen != self.learned
        finally:
            if turns:
                turns.end()
        if turns and turns.failure:
            raise turns.failure
        if asked or turns:
            self._check_votes()
        return answer

    def _learn_rows(self, rows: Any, asked: bool, votes: bool) -> None:
        """Let all workers learn rows (a reference), and the ensemble have their votes.

        They must agree on which rows can be learned.
        """
        answers: list[Learned] = self._tell("learn", [(rows, asked)] * self.workers)
        if len({(answer.seen, answer.error is None) for answer in answers}) > 1:
            error = next(answer.error for answer in answers if answer.error)
            raise Disagreement(
                f"MemberParallel: some members could not learn these rows ({error}); all are as "
                f"before."
            )
        self.learned = answers[0].seen
        if not self.selects or all(answer.warnings for answer in answers):
            for text in dict.fromkeys(text for answer in answers for text in answer.warnings):
                warn_of_data(text)
        if votes:
            self._hand_in([(answer.votes, answer.widths) for answer in answers])

    def _hand_in(self, parts: Any) -> None:
        """Let the ensemble have these votes of its members."""
        self.committee.ballots = Ballots(self.n_models, in_order(parts, self.bounds))

    def _check_votes(self) -> None:
        """See that the ensemble has read all votes."""
        if not self.committee.ballots.exhausted:
            raise RuntimeError("MemberParallel: votes and rows do not match")

    def _tell(self, verb: str, each: list[tuple[Any, ...]]) -> list[Any]:
        """The answers of all workers to a call that changes them: it is obeyed once."""
        self.log.append((verb, [(self.sequence, *given) for given in each]))
        self.sequence += 1
        return self._all(*self.log[-1])

    def _learned_by(self, member: int) -> bytes:
        """What a member has learned."""
        worker, place = self._place(member)
        given = (place,)
        found: bytes = self._wait(
            worker, self._ask(worker, "learned_by", given), "learned_by", given
        )
        return found

    def _all(self, verb: str, each: list[Any]) -> list[Any]:
        """The answers of all workers; those that are lost begin again from their snapshot."""
        asked = [self._ask(k, verb, each[k]) for k in range(self.workers)]
        return [self._wait(k, asked[k], verb, each[k]) for k in range(self.workers)]

    def _ask(self, worker: int, verb: str, given: Any) -> Any:
        try:
            return self.pool.ask(worker, verb, *given)
        except WorkerLost as reason:
            return reason

    def _wait(self, worker: int, asked: Any, verb: str, given: Any) -> Any:
        """The answer of a worker, of a new one in its place if need be."""
        for _ in range(PATIENCE):
            try:
                if isinstance(asked, WorkerLost):
                    raise asked
                return self.pool.wait(asked)
            except WorkerLost as lost:
                reason = lost
            self.pool.restart(worker)
            for before, each in self.log:  # the last one may be that which was asked
                asked = self._ask(worker, before, each[worker])
            if verb not in ("learn", "renew"):
                asked = self._ask(worker, verb, given)
        raise RuntimeError(
            f"MemberParallel: worker {worker} was lost {PATIENCE} times; the last time: "
            f"{reason!s:.300}"
        ) from reason

    # -- snapshots

    def snapshot(self) -> None:
        """Fetch what all members have learned; a lost worker begins again from there."""
        with self.lock:
            self._take_up()
            self.states = self._all("state", [()] * self.workers)
            self.state = fields_to_bytes(self.front._snapshot())
            self.calls.clear()
            self.log.clear()
            self.rows = 0

    def _undo(self) -> None:
        """Let all be as they were before the last call."""
        before, self.calls = self.calls[:-1], []
        self.log.clear()
        for k in range(self.workers):
            self.pool.restart(k)
        self.front = self._new_front()
        for rows, asked in before:
            self.calls.append((rows, asked))
            with suppress(ValueError, TypeError, MemoryError):  # as when it came first
                self._go_over(self.pool.get(rows), {} if asked else None)
        self.unfinished = False

    def _take_up(self) -> None:
        """A call that was broken off, by Ctrl-C say, leaves no trace."""
        if self.unfinished:
            self._undo()

    # -- using it

    def predict_many(self, X: Any) -> Any:
        """The predictions for all rows."""
        return self._predict("predict_many", X)

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities of all labels, in the order of `labels`, for all rows."""
        return self._predict("predict_proba_many", X)

    def _predict(self, verb: str, X: Any) -> Any:
        with self.lock:
            self._take_up()
            if not hasattr(self.front, verb):
                raise AttributeError(f"MemberParallel: {type(self.front).__name__} has no {verb}.")
            self.committee = committee_of(self.front._model)
            width = len(getattr(self.front, "labels", ())) or 1
            step = max(1000, TOGETHER // (self.n_models * width))
            found = []
            for start in range(0, max(1, count_rows(X) or 0), step):
                part = cut_part(X, start, start + step) if (count_rows(X) or 0) > step else X
                self._hand_in(self._all("predict", [(self.pool.put(part),)] * self.workers))
                found.append(getattr(self.front, verb)(part))
                self._check_votes()
            return found[0] if len(found) == 1 else np.concatenate(found)

    @property
    def seen(self) -> int:
        """How many examples were learned."""
        return int(self.front.seen)

    @property
    def labels(self) -> list[Any]:
        """The labels known so far, in order of appearance."""
        return list(self.front.labels)

    def model(self) -> Any:
        """The whole ensemble, as a learner of its own: to save, to look at, to go on with."""
        self.snapshot()
        made = loads(self.template)
        around = bytes_to_fields(self.state) if self.selects else None
        made._restore(put_together([bytes_to_fields(state) for state in self.states], around))
        return made

    def close(self) -> None:
        """Let the workers go."""
        self.pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Disagreement(Exception):
    """Rows that some members can learn, and others cannot."""


def checked_ensemble(model: Any) -> Any:
    """The ensemble that a learner is, or ends in; refused if its members cannot be spread."""
    last = model.steps[-1] if hasattr(model, "steps") else model
    if isinstance(last, Selection):
        if last.max_bytes is not None:
            raise TypeError(
                f"MemberParallel: {type(last).__name__} with max_bytes cannot be spread: its limit "
                f"is on the memory of one machine."
            )
        return last
    if not isinstance(last, Ensemble) or not last._apart:
        raise TypeError(
            f"MemberParallel: the members of {type(last).__name__} cannot be spread over workers: "
            f"take an ensemble whose members never look at each other, such as "
            f"AdaptiveRandomForestClassifier or OnlineBagging, or EvolvingClassifier."
        )
    return last


def part_of(fields: dict[str, Any], first: int, stop: int) -> bytes:
    """An exported ensemble with some of its members only."""
    own = {str(m - first): fields["members"][str(m)] for m in range(first, stop)}
    return fields_to_bytes({**fields, "members": own})


def put_together(
    parts: list[dict[str, Any]], around: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An exported ensemble out of its parts.

    Of a selection, `around` knows what members are worth.
    """
    members = [member for part in parts for member in part["members"].values()]
    found = {str(m): member for m, member in enumerate(members)}
    if around is None:
        return {**parts[0], "members": found}
    for m, shell in around["members"].items():
        found[m]["merits"] = shell["merits"]
    return {**around, "members": found}


def in_order(parts: list[tuple[Any, Any]], bounds: list[int]) -> Any:
    """The votes of all groups: of row after row, in the order of the members."""
    widths = parts[0][1]
    ends = [*np.flatnonzero(np.diff(widths)) + 1, len(widths)]  # where votes become longer
    found: list[Any] = []
    start, used = 0, [0] * len(parts)
    for end in ends:
        rows, width = end - start, int(widths[start]) if end > start else 0
        pieces: list[Any] = []
        for k, (votes, _) in enumerate(parts):
            size = rows * (bounds[k + 1] - bounds[k]) * width
            pieces.append(votes[used[k] : used[k] + size].reshape(rows, -1) if size else None)
            used[k] += size
        if width and rows:
            found.append(np.concatenate(pieces, axis=1).ravel())
        start = end
    return np.concatenate(found) if found else np.empty(0)


class LocalGroups:
    """Groups of members in this process, one after the other."""

    def __init__(self, spread: MemberParallel) -> None:
        self.spread = spread
        self.groups = [self._new(k) for k in range(spread.workers)]

    def _new(self, worker: int) -> MemberGroup:
        spread = self.spread
        return MemberGroup(spread.template, *spread._group(worker), spread.states[worker])

    def put(self, given: Any) -> Any:
        """Rows as they are now."""
        return copy.deepcopy(given)

    def get(self, given: Any) -> Any:
        """These rows."""
        return given

    def ask(self, worker: int, verb: str, *given: Any) -> Any:
        """Call a group."""
        return getattr(self.groups[worker], verb)(*given)

    def wait(self, asked: Any) -> Any:
        """Its answer."""
        return asked

    def restart(self, worker: int) -> None:
        """Begin again from the snapshot."""
        self.groups[worker] = self._new(worker)

    def close(self) -> None:
        """Nothing is held."""
        self.groups = []


def pool_of(engine: Any, spread: MemberParallel) -> Any:
    """The groups, on this engine."""
    if engine == "local":
        return LocalGroups(spread)
    if engine == "ray":
        needed("ray", "ray", "MemberParallel: engine='ray'")
        engine = engine_of(engine)
    if hasattr(engine, "ray"):
        from .ray_members import RayGroups

        return RayGroups(engine, spread)
    raise ValueError(f"MemberParallel: engine must be 'ray' or 'local', got {engine!r:.60}.")
