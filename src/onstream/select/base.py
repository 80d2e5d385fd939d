"""What online model selection shares: a population drawn from a space, and its search."""

from collections.abc import Callable
from itertools import chain
from typing import Any, ClassVar, Literal, TypedDict

from ..base.checks import choice, number, whole
from ..base.classifier import LabelledOptions
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions
from ..ensemble.base import check_learner, member_seed
from ._evolving_member import EvolvingMember
from .search import SEARCHES, Search
from .space import check_space, kinds, templates, varied

SearchName = Literal["evolution", "random", "halving", "bandit", "once", "again"]
MOST_MEMBERS = 10_000


class SelectionOptions(TypedDict, total=False):
    """Parameters of every selection."""

    space: Any
    population: int
    interval: int | None
    lam: float | Literal["once"]
    search: SearchName
    fading: float
    max_bytes: int | None
    budget: str | float | None
    seed: int
    n_jobs: int


class LabelSelectionOptions(SelectionOptions, LabelledOptions, total=False):
    """Parameters of every selection among classifiers."""


class NumberSelectionOptions(SelectionOptions, LearnerOptions, total=False):
    """Parameters of every selection among regressors."""


class Selection(Learner):
    """A population that learns side by side, and the search that renews it.

    Parameters
    ----------
    space : list or None, default None
        What may be tried: learners, and choices among learners and parameters (`Vary`, `Chain`,
        `Range`, `LogRange`, lists). None is a space for any stream.
    population : int >= 1, default 10
        How many members learn at a time. At first each alternative of `space` as it is written,
        in its order, then random ones.
    interval : int >= 1 or None, default 1000
        Examples between two turns of the search; None: nothing is ever replaced.
    lam : float > 0 or "once", default "once"
        How often a member learns an example on average: Poisson(lam), 6.0 in EvoAutoML. "once":
        each learns each example once.
    search : {"evolution", "random", "halving", "bandit", "once", "again"}, default "evolution"
        What happens at a turn. "evolution": the worst makes way for a copy of the best with one
        choice drawn again. "random": for any member of the space. "halving": the worse half
        leaves, until one is left. "bandit": one member at a time learns, that with the best upper
        bound (UCB1). "once": the best of the first interval stays alone. "again": the same, again
        from scratch after each drift.
    fading : float in (0, 1), default 0.999
        Of the accuracy that members are ranked by: the weight of an answer falls by this with each
        further one.
    max_bytes : int or None, default None
        Memory of all members; at a turn the worst leave until the others fit. The best stays.
    budget : str, float or None, default None
        Time of all members, as a multiple of that of the best one alone: "3x" or 3.0. Reckoned from
        what learners cost per feature, label and example remembered, so the outcome is the same
        on any machine; it is kept roughly.
    seed : int, default 0
        Of all random draws.
    n_jobs : int >= 1, default 1
        Threads that members learn and predict blocks of rows in. The result is the same for any.
    """

    _model: Any
    _kind: ClassVar[type[Learner]]
    _usual_space: Callable[[], list[Any]]
    space: Any
    population: int

    def __init__(
        self,
        *,
        space: Any = None,
        population: int = 10,
        interval: int | None = 1000,
        lam: float | Literal["once"] = "once",
        search: SearchName = "evolution",
        fading: float = 0.999,
        max_bytes: int | None = None,
        budget: str | float | None = None,
        seed: int = 0,
        n_jobs: int = 1,
        **common: Any,
    ) -> None:
        self.space = self._checked_space(space)
        self.population = whole(self, "population", population, least=1, most=MOST_MEMBERS)
        self.interval = None
        if interval is not None:
            self.interval = whole(self, "interval", interval, least=1, most=2**60)
        self.lam: Any = "once"
        if lam != "once":
            self.lam = number(
                self, "lam", lam, above=0.0, most=50.0, hint='"once" learns each example once.'
            )
        self.search = choice(self, "search", search, SEARCHES)
        self.fading = number(self, "fading", fading, above=0.0, most=0.999999)
        self.max_bytes = None
        if max_bytes is not None:
            self.max_bytes = whole(self, "max_bytes", max_bytes, least=1)
        self.budget = budget
        self._times = times_of(self, budget)
        self.seed = whole(self, "seed", seed, least=0, most=2**63 - 1)
        self.n_jobs = whole(self, "n_jobs", n_jobs, least=1, most=1024)
        super().__init__(**common)

    def _checked_space(self, space: Any) -> Any:
        """The space, if all that it holds can be a member."""
        if space is None:
            return None
        name = type(self).__name__
        space = space if isinstance(space, (list, tuple)) else [space]
        check_space(name, space)
        for learner in chain(kinds(space), varied(space)):
            check_learner(name, learner, self._kind)
        return templates(space)

    def _new_search(self) -> Search:
        space = type(self)._usual_space() if self.space is None else self.space
        return SEARCHES[self.search](
            space, seed=self.seed, max_bytes=self.max_bytes, budget=self._times
        )

    def _first_members(self, search: Search) -> list[EvolvingMember]:
        members = []
        for i in range(self.population):
            genes, learner = search.first(i)
            members.append(
                EvolvingMember(
                    search.space,
                    genes,
                    learner,
                    lam=0.0 if self.lam == "once" else self.lam,
                    number=i,
                    seed=member_seed(self.seed, i),
                )
            )
            members[-1].weigh_as_one_of(self.population)
        search.begin(members)
        return members

    def merge(self, other: Learner) -> None:
        """Populations cannot be merged: see the message."""
        raise NotMergeable(
            f"{type(self).__name__}: populations cannot be merged: members that saw other data "
            f"were chosen for it. Train them apart, and let them vote."
        )

    # -- what lives -------------------------------------------------------------------------------

    @property
    def members(self) -> list[dict[str, Any]]:
        """The present population, the best first.

        learner; fitness: faded accuracy (of numbers, the mean squared error, negative); born:
        after so many examples; awake: whether it votes and learns.
        """
        with self._model.reading():
            found = [
                {
                    "member": member.number,
                    "learner": member.learner.clone(),
                    "fitness": member.fitness if member.answers else None,
                    "born": member.born,
                    "awake": not member.asleep,
                }
                for member in self._model.readable_state().committee.members
            ]
        return sorted(found, key=rank, reverse=True)

    @property
    def history(self) -> list[dict[str, Any]]:
        """What lived and died, a row for each life: a table, such as `pandas.DataFrame` takes.

        member: its number; learner: its parameters; parent: of which member it is a changed copy;
        change: the choice that was drawn again; kept: whether it went on with what the parent had
        learned; born, died: after so many examples (None: it lives); fitness: when it died. The
        last 1,000 that died are kept.
        """
        with self._model.reading():
            return [dict(life) for life in self._model.readable_state().search.lives.values()]


def rank(row: dict[str, Any]) -> tuple[bool, float, int]:
    """The order of members: awake and fit first."""
    fitness = row["fitness"]
    return row["awake"], float("-inf") if fitness is None else fitness, -row["member"]


def times_of(owner: Any, budget: str | float | None) -> float | None:
    """A budget as a number: "3x" is 3.0."""
    if budget is None:
        return None
    given: Any = budget
    if isinstance(given, str):
        try:
            given = float(given.removesuffix("x"))
        except ValueError:
            given = budget
    return number(
        owner, "budget", given, least=1.0, hint='"3x" is three times the best member alone.'
    )
