"""What forests share: trees that see some of the features, and what watches their errors."""

from collections.abc import Callable
from typing import Any

from ..base.checks import choice, number, positive, whole
from ..core.classifier import ClassifierModel
from ..tree._subspace_tree import SubspaceTreeState
from ..tree.base import checked_nominal
from ._ensemble import LabelEnsembleState
from ._forest import ForestMember
from .base import (
    MOST_MEMBERS,
    Ensemble,
    EnsembleOptions,
    LabelEnsemble,
    LabelEnsembleOptions,
    NumberEnsembleOptions,
    member_seed,
)

MEMBER_BYTES = 5_000  # two windows at their largest, and what surrounds a tree


class GrowingOptions(EnsembleOptions, total=False):
    """Parameters of every forest."""

    lam: float
    grace_period: float
    delta: float
    tau: float
    max_depth: int | None
    nominal: list[str | int] | None
    max_bytes: int | None


class ForestOptions(GrowingOptions, LabelEnsembleOptions, total=False):
    """Parameters of every forest that predicts labels."""


class NumberForestOptions(GrowingOptions, NumberEnsembleOptions, total=False):
    """Parameters of every forest that predicts numbers."""


class Forest(Ensemble):
    """Trees that learn each example with random weight, and begin anew when their errors rise.

    Parameters
    ----------
    lam : float > 0, default 6.0
        How often a tree learns an example on average. Lower it for more different trees.
    grace_period : float > 0, default 50
        Weight of examples between two attempts to split a leaf.
    delta : float in (0, 1], default 0.01
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    tau : float >= 0, default 0.05
        Break ties when Hoeffding's bound falls below.
    max_depth : int >= 1 or None, default None
        Deepest leaf of a tree.
    nominal : list or None, default None
        Features whose numbers are names of categories. Text always is.
    max_bytes : int >= 25_000 * n_models or None, default None
        Most memory of the forest. Each member has an equal share, half of which goes to the tree in
        the background while there is one; a tree keeps to its share as a HoeffdingTreeClassifier
        to its `max_bytes`. Learning a block takes a few megabytes more for a moment.
    """

    warning_delta: float
    drift_delta: float
    _apart = True
    _hindsight = False  # are errors watched that a tree makes once it has learned the example?

    def __init__(
        self,
        *,
        lam: float = 6.0,
        grace_period: float = 50,
        delta: float = 0.01,
        tau: float = 0.05,
        max_depth: int | None = None,
        nominal: list[str | int] | None = None,
        max_bytes: int | None = None,
        **common: Any,
    ) -> None:
        self.lam = number(self, "lam", lam, above=0.0, most=50.0)
        self.grace_period = positive(self, "grace_period", grace_period)
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        self.tau = number(self, "tau", tau, least=0.0)
        if max_depth is not None:
            max_depth = whole(self, "max_depth", max_depth, least=1, most=2**31 - 1)
        self.max_depth = max_depth
        self.nominal = checked_nominal(self, nominal)
        if max_bytes is not None:
            members = whole(
                self, "n_models", common.get("n_models", 10), least=1, most=MOST_MEMBERS
            )
            max_bytes = whole(self, "max_bytes", max_bytes, least=25_000 * members, most=2**60)
        self.max_bytes = max_bytes
        super().__init__(**common)
        if self.max_bytes and getattr(self, "_declared", None) is not None:
            for member in self._members():
                member.models()[0].state.check_labels(len(self.labels))  # type: ignore[attr-defined]

    def _watch(self, warning_delta: float, drift_delta: float) -> None:
        """Check and keep what warns of a drift; 0 turns it off."""
        self.warning_delta = number(self, "warning_delta", warning_delta, least=0.0, most=1.0)
        self.drift_delta = number(self, "drift_delta", drift_delta, least=0.0, most=1.0)

    def _member(self, i: int, make: Callable[[int], Any]) -> ForestMember:
        return ForestMember(
            make,
            lam=self.lam,
            warning_delta=self.warning_delta if self.drift_delta else 0.0,
            drift_delta=self.drift_delta,
            hindsight=self._hindsight,
            max_bytes=self._tree_bytes() or 0,
            probabilistic=True,
            seed=member_seed(self.seed, i),
        )

    def _tree_bytes(self) -> int | None:
        """What the trees of one member may take, beside its windows."""
        return self.max_bytes and self.max_bytes // self.n_models - MEMBER_BYTES

    @property
    def n_warnings(self) -> int:
        """How many trees were begun in the background."""
        with self._model.reading():
            return sum(member.warnings for member in self._members())


def checked_features(owner: Forest, max_features: float | str) -> float | str:
    """The parameter `max_features`, checked."""
    if isinstance(max_features, str):
        return choice(owner, "max_features", max_features, ("sqrt",))
    return number(owner, "max_features", max_features, above=0.0, most=1.0)


def share_of(max_features: float | str) -> float:
    """The share of the features that a leaf watches; 0: round(sqrt(M)) + 1 of them."""
    return 0.0 if isinstance(max_features, str) else max_features


class LabelForest(Forest, LabelEnsemble):
    """A forest that predicts labels."""

    _one_subspace: bool  # one for each tree, not for each leaf
    _share: float  # of the features that is drawn; 0: their square root, and one

    def _new_state(self) -> Any:
        members = [self._member(i, self._maker(i)) for i in range(self.n_models)]
        return LabelEnsembleState(members, n_jobs=self.n_jobs)

    def _maker(self, i: int) -> Callable[[int], Any]:
        """What makes the trees of a member, one for each generation."""
        name, key = type(self).__name__, member_seed(self.seed + 1, i)
        options: dict[str, Any] = {
            "delta": self.delta,
            "grace_period": self.grace_period,
            "tau": self.tau,
            "criterion": "info_gain",
            "leaf_prediction": "nba",
            "max_depth": self.max_depth,
            "nominal": self.nominal,
            "max_bytes": self._tree_bytes(),
            "nominal_split": "branches",
            "variance_floor": 0.0,
            "ties": "first",
            "share": self._share,
            "one_subspace": self._one_subspace,
        }

        def make(generation: int) -> Any:
            state = SubspaceTreeState(**options, draws=member_seed(key, generation))
            state.who = name
            return ClassifierModel(name, state)

        return make
