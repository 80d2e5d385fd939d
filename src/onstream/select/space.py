"""A search space in plain Python: what may be tried, and how one of its members is drawn.

A list is a choice; `Range` and `LogRange` are numbers; `Vary` is a learner with such choices as
parameters, `Chain` a pipeline of choices; anything else stands for itself. A member of the space
is written as its genes: for each choice that was made, by its path, the number that was drawn (of
a list the place). So a configuration is plain numbers, which a file can hold.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from math import exp, log
from typing import Any

import numpy as np

from ..base.checks import nearest, number
from ..base.learner import Learner
from ..base.parameters import parameters
from ..base.part import Part
from ..features import Pipeline

Genes = dict[str, float]
Choose = Callable[[str, Any, float | None], float]  # path, choice, usual value -> number drawn
MOST_KINDS = 1000  # pipelines of different steps in a space


class Interval(Part):
    """Numbers from `low` to `high`; whole numbers, if both are."""

    low: float
    high: float

    def _check(self, low: float, high: float) -> None:
        self.low, self.high = (
            value if type(value) is int else number(self, name, value)
            for name, value in (("low", low), ("high", high))
        )
        if not self.low < self.high:
            raise ValueError(
                f"{type(self).__name__}: low must be below high, got {low!r} and {high!r}."
            )

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return type(self.low) is int and type(self.high) is int

    def at(self, share: float) -> float:
        """The number below which this share of all draws is."""
        raise NotImplementedError

    def value(self, gene: float) -> float:
        """A gene as a parameter."""
        return round(gene) if self.whole else float(gene)


class Range(Interval):
    """Numbers from `low` to `high`, all as likely; whole numbers, if both ends are.

    Parameters
    ----------
    low : float
        The smallest.
    high : float
        The largest.

    Examples
    --------
    >>> Range(1, 9).at(0.5)
    5
    """

    def __init__(self, low: float, high: float) -> None:
        self._check(low, high)

    def at(self, share: float) -> float:
        """The number below which this share of all draws is."""
        if self.whole:
            return min(int(self.low + share * (self.high - self.low + 1)), int(self.high))
        return self.low + share * (self.high - self.low)


class LogRange(Interval):
    """Numbers from `low` to `high`, all powers as likely; whole numbers, if both ends are.

    Parameters
    ----------
    low : float > 0
        The smallest.
    high : float
        The largest.

    Examples
    --------
    >>> round(LogRange(0.01, 1.0).at(0.5), 6)
    0.1
    """

    def __init__(self, low: float, high: float) -> None:
        number(self, "low", low, above=0.0)
        self._check(low, high)

    def at(self, share: float) -> float:
        """The number below which this share of all draws is."""
        found = exp(log(self.low) + share * (log(self.high) - log(self.low)))
        found = min(max(found, self.low), self.high)
        return round(found) if self.whole else found


class Vary(Part):
    """A learner some of whose parameters are choices.

    Parameters
    ----------
    learner : learner
        The others stay as they are here. Of a pipeline, the last step that has a parameter of
        that name gets it.
    choices : list, default ()
        Pairs of a parameter and its choices; `Vary(learner, C=[0.1, 1.0])` is shorter.

    Examples
    --------
    >>> from onstream.linear import PAClassifier
    >>> Vary(PAClassifier(), C=LogRange(0.01, 10.0))
    Vary(learner=PAClassifier(), choices=[['C', LogRange(low=0.01, high=10.0)]])
    """

    def __init__(self, learner: Any, choices: Any = (), **named: Any) -> None:
        if not isinstance(learner, Learner):
            raise TypeError(f"Vary: learner must be a learner, got {learner!r:.80}.")
        self.learner = templates(learner)
        given = [*choices, *named.items()]
        self.choices = [[str(name), templates(choice)] for name, choice in given]
        if not self.choices:
            raise ValueError("Vary: there must be choices, such as C=LogRange(0.01, 10.0).")
        for name, choice in self.choices:
            self._home(name)
            check_space("Vary", choice)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"learner": self.learner, "choices": [list(pair) for pair in self.choices]}

    def __reduce__(self) -> Any:
        return Vary, (self.learner, self.choices)

    def _home(self, name: str) -> int:
        """The step that gets a parameter; of a learner 0."""
        steps = steps_of(self.learner)
        homes = [i for i, step in enumerate(steps) if name in parameters(type(step))]
        if not homes:
            known = {name for step in steps for name in parameters(type(step))}
            raise ValueError(
                f"Vary: {self.learner!r:.80} has no parameter {name!r:.60}.{nearest(name, known)}"
            )
        return homes[-1]

    def usual(self, name: str) -> Any:
        """The value of a parameter in the learner as it was given."""
        return steps_of(self.learner)[self._home(name)].params[name]

    def made(self, values: dict[str, Any]) -> Any:
        """The learner with these values."""
        steps = list(steps_of(self.learner))
        for name, value in values.items():
            home = self._home(name)
            if not same(value, steps[home].params[name]):
                steps[home] = steps[home].clone(**{name: value})
        if steps == steps_of(self.learner):
            return self.learner
        return steps[0] if len(steps) == 1 else Pipeline(*steps)


class Chain(Part):
    """A pipeline each of whose steps may be a choice; a step that is None is left out.

    Parameters
    ----------
    *members : choices
        The steps.
    steps : list, optional
        The steps, as a list.

    Examples
    --------
    >>> from onstream.features import MinMaxScaler, StandardScaler
    >>> from onstream.linear import PAClassifier
    >>> space = Chain([StandardScaler(), MinMaxScaler()], Vary(PAClassifier(), C=[0.1, 1.0]))
    """

    def __init__(self, *members: Any, steps: Any = None) -> None:
        self.steps = [templates(step) for step in [*members, *(steps or ())]]
        if not self.steps:
            raise ValueError("Chain: there must be steps.")
        for step in self.steps:
            check_space("Chain", step)

    def __reduce__(self) -> Any:
        return Chain, tuple(self.steps)


def steps_of(learner: Any) -> list[Any]:
    """The steps of a pipeline, or the learner alone."""
    return learner.steps if isinstance(learner, Pipeline) else [learner]


def templates(node: Any) -> Any:
    """The same choices, with learners that only say how learners are to be made."""
    if isinstance(node, (list, tuple)):
        return [templates(item) for item in node]
    if isinstance(node, Learner) and not node._is_template():
        if node.seen:
            what = type(node).__name__
            raise ValueError(f"{what} has learned already; give a clone() of it to a space.")
        return node._template()
    return node


def check_space(owner: str, node: Any) -> None:
    """Refuse choices among nothing."""
    if isinstance(node, (list, tuple)):
        if not node:
            raise ValueError(f"{owner}: a choice must have at least one alternative, got [].")
        for item in node:
            check_space(owner, item)


# -- drawing ------------------------------------------------------------------------------------


def build(space: Any, choose: Choose, path: str = "", usual: Any = None) -> Any:
    """The member of the space that `choose` leads to."""
    if isinstance(space, (list, tuple)):
        at = next((i for i, item in enumerate(space) if same(item, usual)), 0)
        i = int(choose(path or "/", space, float(at)))
        return build(space[i], choose, f"{path}/{i}", usual)
    if isinstance(space, Interval):
        known = type(usual) in (int, float) and space.low <= usual <= space.high
        return space.value(choose(path, space, float(usual) if known else None))
    if isinstance(space, Vary):
        return space.made(
            {
                name: build(choice, choose, f"{path}/{name}", space.usual(name))
                for name, choice in space.choices
            }
        )
    if isinstance(space, Chain):
        steps = [build(step, choose, f"{path}/{i}") for i, step in enumerate(space.steps)]
        return Pipeline(*(step for step in steps if step is not None))
    return space


def same(item: Any, usual: Any) -> bool:
    """Say whether this alternative is the usual value."""
    return type(item) is type(usual) and bool(item == usual)


def drawn(choice: Any, share: float) -> float:
    """What a random share of 1 stands for in a choice."""
    if isinstance(choice, Interval):
        return float(choice.at(share))
    return float(min(int(share * len(choice)), len(choice) - 1))


def learner_of(space: Any, genes: Genes) -> Any:
    """The learner with these genes."""
    return build(space, lambda path, choice, usual: checked_gene(path, choice, genes))


def checked_gene(path: str, choice: Any, genes: Genes) -> float:
    """A gene, if it is one of this choice."""
    gene = genes.get(path)
    if isinstance(choice, Interval):
        fits = gene is not None and choice.low <= gene <= choice.high
    else:
        fits = gene is not None and gene == int(gene) and 0 <= gene < len(choice)
    if gene is None or not fits:
        raise ValueError(f"{gene!r:.40} at {path!r:.60} is none of the choices of the space")
    return gene


def sample(space: Any, rng: np.random.Generator, given: Genes | None = None) -> Genes:
    """Random genes; those that are given stay."""
    genes: Genes = {}

    def choose(path: str, choice: Any, usual: float | None) -> float:
        share = rng.random()
        genes[path] = drawn(choice, share) if path not in (given or {}) else (given or {})[path]
        return genes[path]

    build(space, choose)
    return genes


def usual_genes(space: Any, alternative: int) -> Genes:
    """One of the alternatives of a space as it was written: its first choices, its own numbers."""
    genes: Genes = {}

    def choose(path: str, choice: Any, usual: float | None) -> float:
        if path == "/" and isinstance(space, (list, tuple)):
            usual = float(alternative)
        genes[path] = drawn(choice, 0.5 if isinstance(choice, Interval) else 0.0)
        if usual is not None:
            genes[path] = usual
        return genes[path]

    build(space, choose)
    return genes


def mutate(space: Any, genes: Genes, rng: np.random.Generator) -> tuple[Genes, str]:
    """The same genes with one choice drawn again, to something else; and the path of that choice.

    Choices that only the new value brings are drawn, too.
    """
    open_to_change: dict[str, Any] = {}

    def note(path: str, choice: Any, usual: float | None) -> float:
        if isinstance(choice, Interval) or len(choice) > 1:
            open_to_change[path] = choice
        return checked_gene(path, choice, genes)

    build(space, note)
    if not open_to_change:
        return dict(genes), ""
    path = sorted(open_to_change)[int(rng.random() * len(open_to_change))]
    choice, share = open_to_change[path], rng.random()
    if isinstance(choice, Interval):
        gene = drawn(choice, share)
    else:  # one of the others
        gene = drawn(choice[1:], share)
        gene += gene >= genes[path]
    kept = {p: g for p, g in genes.items() if p != path}
    return sample(space, rng, {**kept, path: gene}), path


def kinds(space: Any) -> Iterator[Any]:
    """A learner of each kind that the space holds: those that differ by numbers only, once."""
    for i, found in enumerate(_kinds(space)):
        if i >= MOST_KINDS:
            raise ValueError(f"the space has more than {MOST_KINDS:,} kinds of pipelines")
        yield found


def varied(space: Any) -> Iterator[Any]:
    """Every learner of a `Vary` with each alternative of each of its lists, the rest as written.

    Those that cannot be made so are left out.
    """
    if isinstance(space, (list, tuple)):
        for item in space:
            yield from varied(item)
    elif isinstance(space, Chain):
        for step in space.steps:
            yield from varied(step)
    elif isinstance(space, Vary):
        for name, choice in space.choices:
            for value in alternatives(choice):
                with suppress(TypeError, ValueError):  # it may go together with another choice
                    yield space.made({name: value})


def alternatives(choice: Any) -> Iterator[Any]:
    """What stands in a choice, not behind another one."""
    if isinstance(choice, (list, tuple)):
        for item in choice:
            yield from alternatives(item)
    elif not isinstance(choice, (Interval, Vary, Chain)):
        yield choice


def _kinds(space: Any) -> Iterator[Any]:
    if isinstance(space, (list, tuple)):
        for item in space:
            yield from _kinds(item)
    elif isinstance(space, Vary):
        yield space.learner
    elif isinstance(space, Chain):
        for steps in product(*(list(_kinds(step)) for step in space.steps)):
            yield Pipeline(*(step for step in steps if step is not None))
    else:
        yield space
