"""Perceptrons on a budget that keep or drop whole supports: Stoptron, random, least recent."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, number, whole
from ..base.types import Label
from ._expansion import DropOldest, DropRandom, StopWhenFull
from ._learners import PerceptronState
from .face import KernelClassifier
from .kernels.base import Kernel
from .perceptron import UPDATES


class Stoptron(KernelClassifier):
    """Kernel perceptron that stops learning when its budget is full (Orabona et al., 2009).

    The simplest of all, and the yardstick for the others.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports. More cost time and memory, and mostly help.
    update : {"max", "uniform", "proportional"}, default "max"
        With more than two labels: which wrong labels lose.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : Stoptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = Stoptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        update: Literal["max", "uniform", "proportional"] = "max",
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.update = choice(self, "update", update, UPDATES)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> PerceptronState:
        expansion = StopWhenFull(self._program(), self.budget)
        return PerceptronState(expansion, self.beta, self.update)


class RandomizedPerceptron(KernelClassifier):
    """Randomized budget perceptron (Cavallanti, Cesa-Bianchi & Gentile, 2007).

    When the budget is full, a support drawn at random makes room for the new one.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports. More cost time and memory, and mostly help.
    update : {"max", "uniform", "proportional"}, default "max"
        With more than two labels: which wrong labels lose.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    seed : int, default 0
        Seed of the draws.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : RandomizedPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = RandomizedPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        update: Literal["max", "uniform", "proportional"] = "max",
        beta: float = 0.0,
        seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.update = choice(self, "update", update, UPDATES)
        self.beta = number(self, "beta", beta, least=0.0)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> PerceptronState:
        expansion = DropRandom(self._program(), self.budget, self.seed)
        return PerceptronState(expansion, self.beta, self.update)


class LeastRecentPerceptron(KernelClassifier):
    """Budget perceptron that drops its oldest support (Cavallanti et al., 2007).

    It forgets by age alone, which suits streams that drift.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports. Fewer forget faster.
    update : {"max", "uniform", "proportional"}, default "max"
        With more than two labels: which wrong labels lose.
    beta : float >= 0, default 0.0
        Also learn from right answers whose margin is no larger than this.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : LeastRecentPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = LeastRecentPerceptron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        update: Literal["max", "uniform", "proportional"] = "max",
        beta: float = 0.0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.update = choice(self, "update", update, UPDATES)
        self.beta = number(self, "beta", beta, least=0.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> PerceptronState:
        expansion = DropOldest(self._program(), self.budget)
        return PerceptronState(expansion, self.beta, self.update)
