"""What both boosting learners share: chains of trees."""

from collections.abc import Callable
from typing import Any

from ..base.checks import number, positive, whole
from ..base.classifier import LabelledOptions
from ..base.learner import LearnerOptions
from ..core.regressor import RegressorModel
from ..tree._boosted_tree import BoostedTreeState
from ..tree.base import checked_nominal
from ._boosting import LEAST_SHARE
from ._chain import Chain
from .base import MOST_MEMBERS, Ensemble, member_seed


class LabelBoostingOptions(LabelledOptions, total=False):
    """Parameters of boosting of labels, but for those with a default of their own."""

    n_jobs: int
    seed: int
    subspace: float
    tau: float
    max_depth: int | None
    nominal: list[str | int] | None
    max_bytes: int | None


class NumberBoostingOptions(LearnerOptions, total=False):
    """Parameters of boosting of numbers, but for those with a default of their own."""

    n_jobs: int
    seed: int
    subspace: float
    tau: float
    max_depth: int | None
    nominal: list[str | int] | None
    max_bytes: int | None


class Boosting(Ensemble):
    """Trees in a chain: each learns what those before it have left.

    Parameters
    ----------
    subspace : float in (0, 1], default 0.75
        Share of the features that a stage of the chain sees, the same ones for life.
    tau : float >= 0, default 0.05
        Break ties when Hoeffding's bound falls below.
    max_depth : int >= 1 or None, default None
        Deepest leaf of a tree.
    nominal : list or None, default None
        Features whose numbers are names of categories. Text always is.
    max_bytes : int >= 20_000 for each tree of a chain or None, default None
        Most memory of all chains. Each tree has an equal share, half of which goes to its rival
        while there is one, and keeps to it as a HoeffdingTreeRegressor to its `max_bytes`. A label
        that would leave trees too little is refused. Learning a block takes a few megabytes more
        for a moment.
    """

    learning_rate: float
    grace_period: float
    delta: float
    adapt: bool
    _leaf_prediction: str
    _bag = 1  # trees of a stage

    def __init__(
        self,
        *,
        subspace: float = 0.75,
        tau: float = 0.05,
        max_depth: int | None = None,
        nominal: list[str | int] | None = None,
        max_bytes: int | None = None,
        **common: Any,
    ) -> None:
        self.subspace = number(self, "subspace", subspace, above=0.0, most=1.0)
        self.tau = number(self, "tau", tau, least=0.0)
        if max_depth is not None:
            max_depth = whole(self, "max_depth", max_depth, least=1, most=2**31 - 1)
        self.max_depth = max_depth
        self.nominal = checked_nominal(self, nominal)
        if max_bytes is not None:
            stages = whole(self, "n_models", common["n_models"], least=1, most=MOST_MEMBERS)
            least = LEAST_SHARE * stages * self._bag
            max_bytes = whole(self, "max_bytes", max_bytes, least=least, most=2**60)
        self.max_bytes = max_bytes
        super().__init__(**common)

    def _set_steps(self, learning_rate: float, grace_period: float, delta: float) -> None:
        """Check and keep what has another default for labels than for numbers."""
        self.learning_rate = number(self, "learning_rate", learning_rate, above=0.0, most=1.0)
        self.grace_period = positive(self, "grace_period", grace_period)
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)

    def _chain(self, label: int) -> Chain:
        """The chain of a label; -1: of numbers."""
        return Chain(
            self._tree_maker(),
            stages=self.n_models,
            bag=self._bag,
            rate=self.learning_rate,
            share=self.subspace,
            label=label,
            watched=self.adapt,
            seed=member_seed(self.seed, 0),
        )

    def _tree_maker(self) -> Callable[[int], Any]:
        """What makes the trees."""
        name = type(self).__name__
        options: dict[str, Any] = {
            "delta": self.delta,
            "grace_period": self.grace_period,
            "tau": self.tau,
            "criterion": "variance",
            "leaf_prediction": self._leaf_prediction,
            "max_depth": self.max_depth,
            "nominal": self.nominal,
            "nominal_split": "binary",
            "observer": "quantised",
            "seed_children": False,
            "weights": "given",
            "seed": 0,
        }

        def make(generation: int) -> Any:
            state = BoostedTreeState(**options)
            state.who = name
            return RegressorModel(name, state)

        return make
