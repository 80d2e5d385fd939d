"""Searches over a space: who is replaced by whom at the end of every interval.

Each is a function of the members' merits and of a random generator that is made anew from the seed
and the number of births; so it has no state but what it has seen, and a saved model goes on alike.
"""

from collections.abc import Callable, Sequence
from math import inf, isfinite, log, sqrt
from typing import Any

import numpy as np

from .costs import cost_of
from .keeping import can_keep
from .space import Genes, learner_of, mutate, sample, usual_genes

Draw = Callable[[np.random.Generator], tuple[Genes, str]]  # genes, and what has changed
REMEMBERED = 1000  # lives that are over
RISEN = 3.0  # standard deviations by which errors rise on a drift
WORSE = 1.5  # the same of squared errors: how many times


class Search:
    """What all searches share: births, deaths, limits. A subclass says who is replaced."""

    def __init__(
        self, space: Any, *, seed: int, max_bytes: int | None, budget: float | None
    ) -> None:
        self.space, self.seed = space, seed
        self.max_bytes, self.budget = max_bytes, budget
        self.births = 0
        self.turns = 0
        self.lives: dict[int, dict[str, Any]] = {}

    def rng(self) -> np.random.Generator:
        """The random numbers of the next birth."""
        return np.random.default_rng([self.seed, self.births])

    def first(self, i: int) -> tuple[Genes, Any]:
        """Genes and learner of member i at first: each alternative as written, then any."""
        alternatives = len(self.space) if isinstance(self.space, (list, tuple)) else 1
        genes = usual_genes(self.space, i) if i < alternatives else sample(self.space, self.rng())
        learner = learner_of(self.space, genes)
        self.note(repr(learner), 0, None, "", kept=False)
        return genes, learner

    def note(self, learner: str, t: int, parent: int | None, change: str, *, kept: bool) -> None:
        """A life begins."""
        self.lives[self.births] = {
            "member": self.births,
            "learner": learner,
            "parent": parent,
            "change": change,
            "kept": kept,
            "born": t,
            "died": None,
            "fitness": None,
        }
        self.births += 1

    def end(self, number: int, fitness: float, t: int) -> None:
        """A life ends."""
        life = self.lives.get(number)
        if life is not None and life["died"] is None:
            life["died"], life["fitness"] = t, reported(fitness)
        over = [number for number, life in self.lives.items() if life["died"] is not None]
        for number in over[: max(0, len(over) - REMEMBERED)]:
            del self.lives[number]

    def replace(self, member: Any, t: int, draw: Draw, parent: Any = None) -> None:
        """Let a member begin the life that is drawn; it goes on, if there is no such learner."""
        try:
            genes, change = draw(self.rng())
            learner = learner_of(self.space, genes)
        except (TypeError, ValueError) as error:  # choices that do not go together
            self.note(f"cannot be made: {error}", t, None, "", kept=False)
            self.end(self.births - 1, -inf, t)
            return
        if parent is not None and not change:
            return
        keep = parent is not None and can_keep(parent.learner, learner)
        before = member.number, member.fitness
        kept = member.become(genes, learner, self.births, t, parent, keep)  # or there is no memory
        self.end(*before, t)
        self.note(repr(learner), t, None if parent is None else parent.number, change, kept=kept)

    def replace_by_any(self, member: Any, t: int) -> None:
        """Let a member become any of the space."""
        self.replace(member, t, lambda rng: (sample(self.space, rng), ""))

    # -- turns ----------------------------------------------------------------------------------

    def begin(self, members: Sequence[Any]) -> None:
        """Before any example."""

    def turn(self, members: Sequence[Any], t: int, labels: int) -> None:
        """After example t, a multiple of the interval."""
        self.turns += 1
        self.choose(members, t)
        self.limit(members, t, labels)
        born = [member for member in members if member.born == t]
        for member in born:
            if len(born) == len(members):
                member.weigh_as_one_of(len(born))
            else:
                member.lose_vote()

    def choose(self, members: Sequence[Any], t: int) -> None:
        """Replace members."""

    def limit(self, members: Sequence[Any], t: int, labels: int) -> None:
        """Let the worst sleep until the others fit into memory and time; the best always stays."""
        if self.max_bytes is None and self.budget is None:
            return
        ranked = sorted(awake(members), key=worth, reverse=True)
        features = max(1, ranked[0].width_known)
        costs = [cost_of(member.learner, features, labels) for member in ranked]
        sizes = [member.memory() for member in ranked]
        while len(ranked) > 1 and (
            (self.max_bytes is not None and sum(sizes) > self.max_bytes)
            or (self.budget is not None and sum(costs) > self.budget * costs[0])
        ):
            self.end(ranked[-1].number, ranked[-1].fitness, t)
            ranked.pop().sleep(True)
            costs.pop()
            sizes.pop()

    # -- to and from arrays -----------------------------------------------------------------------

    def export(self) -> dict[str, Any]:
        """All lives, as arrays and texts."""
        lives = list(self.lives.values())
        whole = [
            [
                life["member"],
                -1 if life["parent"] is None else life["parent"],
                life["born"],
                -1 if life["died"] is None else life["died"],
                life["kept"],
                life["fitness"] is not None,
            ]
            for life in lives
        ]
        return {
            "births": self.births,
            "turns": self.turns,
            "lives": np.array(whole, dtype=np.int64).reshape(-1, 6),
            "fitness": np.array([life["fitness"] or 0.0 for life in lives], dtype=np.float64),
            "learners": [life["learner"] for life in lives],
            "changes": [life["change"] for life in lives],
            **self.export_own(),
        }

    def restore(self, fields: Any) -> None:
        """Restore what `export` exported (a `StateReader`)."""
        self.births = fields.integer("births", 0)
        self.turns = fields.integer("turns", 0)
        whole = fields.integers("lives", (-1, 6), -1).tolist()
        fitness = fields.array("fitness", (len(whole),)).tolist()
        learners, changes = fields.names("learners", (str,)), fields.names("changes", (str,))
        self.lives = {}
        for row, value, learner, change in zip(whole, fitness, learners, changes, strict=True):
            number, parent, born, died, kept, measured = row
            self.lives[number] = {
                "member": number,
                "learner": learner,
                "parent": None if parent < 0 else parent,
                "change": change,
                "kept": bool(kept),
                "born": born,
                "died": None if died < 0 else died,
                "fitness": value if measured else None,
            }
        self.restore_own(fields)

    def export_own(self) -> dict[str, Any]:
        """What a kind of search remembers."""
        return {}

    def restore_own(self, fields: Any) -> None:
        """Restore what `export_own` exported."""

    def memory(self) -> int:
        """Bytes in use."""
        return 1000 + 600 * len(self.lives)


def reported(fitness: float) -> float | None:
    """A fitness for the table."""
    return max(-1e100, fitness) if isfinite(fitness) else None


def awake(members: Sequence[Any]) -> list[Any]:
    """Those that vote and learn."""
    return [member for member in members if not member.asleep]


def worth(member: Any) -> tuple[float, int]:
    """By which members are ranked: fitness, then age."""
    return member.fitness, -member.number


def need(member: Any) -> tuple[float, int]:
    """By which members stay: what the others would miss without it; or the fitness."""
    return member.merit, -member.number


def next_to_go(members: Sequence[Any], best: Any) -> Any:
    """Who makes way: one that sleeps, or the one needed least, but for the best; None: nobody."""
    sleeping = [member for member in members if member.asleep]
    others = [member for member in members if member is not best]
    return sleeping[0] if sleeping else min(others, key=need, default=None)


class Evolution(Search):
    """The worst makes way for a copy of the best with one choice drawn again (EvoAutoML)."""

    def choose(self, members: Sequence[Any], t: int) -> None:
        """One child."""
        best = max(awake(members), key=worth)
        worst = next_to_go(members, best)
        if worst is not None:
            self.replace(worst, t, lambda rng: mutate(self.space, best.genes, rng), best)


class RandomSearch(Search):
    """The worst makes way for any member of the space."""

    def choose(self, members: Sequence[Any], t: int) -> None:
        """One newcomer."""
        worst = next_to_go(members, max(awake(members), key=worth))
        if worst is not None:
            self.replace_by_any(worst, t)


class Halving(Search):
    """The worse half leaves, until one is left (successive halving)."""

    def choose(self, members: Sequence[Any], t: int) -> None:
        """Keep the better half."""
        ranked = sorted(awake(members), key=worth, reverse=True)
        for member in ranked[(len(ranked) + 1) // 2 :]:
            self.end(member.number, member.fitness, t)
            member.sleep(True)


class Once(Search):
    """All learn the first interval; the best of them stays."""

    def choose(self, members: Sequence[Any], t: int) -> None:
        """Keep one."""
        ranked = sorted(awake(members), key=worth, reverse=True)
        for member in ranked[1:]:
            self.end(member.number, member.fitness, t)
            member.sleep(True)


class Again(Once):
    """The same, again from scratch whenever the errors of the one that stayed have risen."""

    def __init__(self, space: Any, **options: Any) -> None:
        super().__init__(space, **options)
        self.least: float | None = None  # error of its best interval

    def choose(self, members: Sequence[Any], t: int) -> None:
        """Keep one, or begin again."""
        if len(awake(members)) > 1:
            super().choose(members, t)
            self.least = None
        elif len(members) > 1:
            (one,) = awake(members)
            risen = self.risen(one.error, one.answers)
            if risen:
                for member in members:
                    self.replace_by_any(member, t)
        for member in awake(members):
            member.forget_merits()

    def risen(self, error: float, answers: float) -> bool:
        """Say whether the error of an interval is above the least, hardly by chance (DDM)."""
        if self.least is None or error < self.least:
            self.least = error
            return False
        if error > 1.0 or self.least > 1.0:
            return error > WORSE * self.least
        spread = sqrt(max(self.least * (1.0 - self.least), 1e-4) / max(answers, 1.0))
        return error > self.least + RISEN * spread

    def export_own(self) -> dict[str, Any]:
        """The error of its best interval."""
        return {"least": -1.0 if self.least is None else min(self.least, 1e100)}

    def restore_own(self, fields: Any) -> None:
        """Restore what `export_own` exported."""
        least = fields.number("least")
        self.least = None if least < 0.0 else least


class Bandit(Search):
    """One member at a time learns and answers: that of the best upper bound (UCB1)."""

    def __init__(self, space: Any, **options: Any) -> None:
        super().__init__(space, **options)
        self.pulls: list[float] = []
        self.rewards: list[float] = []
        self.least = 1e300  # error of the best interval of all

    def begin(self, members: Sequence[Any]) -> None:
        """The first one begins."""
        self.pulls, self.rewards = [0.0] * len(members), [0.0] * len(members)
        for member in members[1:]:
            member.sleep(False)

    def choose(self, members: Sequence[Any], t: int) -> None:
        """Reward the one that learned, and choose the next."""
        at = next(i for i, member in enumerate(members) if not member.asleep)
        self.least = min(self.least, members[at].error)
        self.pulls[at] += 1.0
        self.rewards[at] += members[at].reward(self.least)
        bounds = [
            reward / pulls + sqrt(2.0 * log(self.turns + 1) / pulls) if pulls else float("inf")
            for pulls, reward in zip(self.pulls, self.rewards, strict=True)
        ]
        nxt = int(np.argmax(bounds))
        members[at].forget_merits()
        members[at].sleep(False)
        members[nxt].wake()

    def export_own(self) -> dict[str, Any]:
        """Pulls and rewards."""
        return {
            "pulls": np.array(self.pulls, dtype=np.float64),
            "rewards": np.array(self.rewards, dtype=np.float64),
            "least": min(self.least, 1e100),
        }

    def restore_own(self, fields: Any) -> None:
        """Restore what `export_own` exported."""
        n = len(self.pulls)
        self.pulls = fields.array("pulls", (n,)).tolist()
        self.rewards = fields.array("rewards", (n,)).tolist()
        self.least = fields.number("least")


SEARCHES: dict[str, type[Search]] = {
    "evolution": Evolution,
    "random": RandomSearch,
    "halving": Halving,
    "bandit": Bandit,
    "once": Once,
    "again": Again,
}
