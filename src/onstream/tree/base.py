"""What all trees share: parameters, and ways to look at them."""

from abc import ABC, abstractmethod
from typing import Any, Literal, TypedDict

from ..base.checks import choice, flag, number, positive, whole
from ..base.classifier import LabelledOptions, ProbabilisticClassifier
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions
from ..base.types import Example
from .view import picture
from .view.explanation import Explanation, explain
from .view.outline import MOST_LEVELS, Node, build, depths

LabelCriterion = Literal["info_gain", "gini"]
LabelPrediction = Literal["nba", "nb", "mc"]
Ties = Literal["parent", "first"]
NominalSplit = Literal["binary", "branches"]

Weights = Literal["given", "poisson"]

# What files mean that were written before these parameters were there.
LEAF_RULES_OF_BEFORE: dict[str, Any] = {"variance_floor": 0.0, "ties": "first"}
SPLITS_OF_BEFORE: dict[str, Any] = {"nominal_split": "branches"}
COUNTS_OF_BEFORE: dict[str, Any] = {"weights": "given", "seed": 0}
GROWING_TREES_OF_BEFORE: dict[str, Any] = {**LEAF_RULES_OF_BEFORE, **SPLITS_OF_BEFORE}
HAT_OF_BEFORE: dict[str, Any] = {
    **GROWING_TREES_OF_BEFORE,
    **COUNTS_OF_BEFORE,
    "max_bytes": None,
}
EFDT_OF_BEFORE: dict[str, Any] = {**HAT_OF_BEFORE, "seed_children": False}
CVFDT_OF_BEFORE: dict[str, Any] = {**GROWING_TREES_OF_BEFORE, "max_bytes": None}
REGRESSOR_OF_BEFORE: dict[str, Any] = {
    **SPLITS_OF_BEFORE,
    **COUNTS_OF_BEFORE,
    "seed_children": False,
    "max_bytes": None,
}


class TreeOptions(TypedDict, total=False):
    """Parameters of every tree that grows with the stream."""

    tau: float
    max_depth: int | None
    nominal: list[str | int] | None
    nominal_split: NominalSplit
    max_bytes: int | None


class SplitOptions(TypedDict, total=False):
    """How sure a split must be, and how often it is tried."""

    delta: float
    grace_period: float


class CountingOptions(TypedDict, total=False):
    """How examples and splits count."""

    seed_children: bool
    weights: Weights
    seed: int


class LabelTreeOptions(TreeOptions, LabelledOptions, total=False):
    """Parameters of every classification tree, but for SplitOptions."""

    criterion: LabelCriterion
    leaf_prediction: LabelPrediction
    variance_floor: float
    ties: Ties


class TreeClassifierOptions(LabelTreeOptions, SplitOptions, total=False):
    """Parameters of every classification tree."""


class CountingTreeClassifierOptions(TreeClassifierOptions, CountingOptions, total=False):
    """Parameters of classification trees that can count as MOA and River do."""


class TreeRegressorOptions(TreeOptions, SplitOptions, CountingOptions, LearnerOptions, total=False):
    """Parameters of every regression tree."""


class Views(ABC):
    """What can be seen of a grown tree."""

    @abstractmethod
    def _outline(self) -> dict[str, Any]:
        """What pictures are drawn from: the main tree without its tables, and all names."""

    @property
    def n_nodes(self) -> int:
        """How many nodes there are; 1, an empty leaf, before any example."""
        return max(1, len(self._outline()["nodes"]))

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return max(1, int((self._outline()["nodes"][:, 0] < 0).sum()))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree that is one leaf."""
        return max(depths(self._outline()["nodes"]), default=0)

    def _root(self) -> Node:
        return build(self._outline())

    def to_text(self, *, max_depth: int | None = None) -> str:
        """The tree as lines of text, one per branch, down to `max_depth` (None: 100 levels).

        Where something is left out below, the line says how much.
        """
        return picture.to_text(self._top(max_depth, MOST_LEVELS))

    def to_dot(self, *, max_depth: int | None = None) -> str:
        """The tree as source for Graphviz."""
        return picture.to_dot(self._top(max_depth))

    def to_svg(self, *, max_depth: int | None = None) -> str:
        """The tree as a picture: each node with its split and the examples that came to it.

        `max_depth=3` leaves out what is more than three splits below the root, and says how much
        that is: a tree of hundreds of leaves is no picture. None shows 100 levels.
        """
        return picture.to_svg(self._top(max_depth, MOST_LEVELS))

    def to_html(self, *, max_depth: int | None = None) -> str:
        """The picture as a page of its own."""
        return picture.to_html(self._top(max_depth, MOST_LEVELS), repr(self))

    def _top(self, max_depth: int | None, most: int | None = None) -> Node:
        """The tree down to `max_depth`, or to `most` levels where the user sets no limit."""
        if max_depth is not None:
            most = whole(self, "max_depth", max_depth, least=0)
        return self._root().trim(most)

    def _repr_html_(self) -> str:
        """What a notebook shows: the top of the tree."""
        return picture.to_svg(self._root().trim(5))

    @property
    def feature_importances(self) -> dict[Any, float]:
        """Feature to its share in what all splits have gained, the largest first."""
        return picture.importances(self._root())


class Tree(Views, Learner):
    """Parameters and views that all trees have.

    Parameters
    ----------
    max_depth : int >= 1 or None, default None
        Deepest leaf; the root alone has depth 0. Lower it for a tree that people can read.
    nominal : list or None, default None
        Features whose numbers are names of categories (codes, weekdays), not quantities to be
        cut. Text always is.
    """

    criterion: str
    leaf_prediction: str
    _model: Any

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        nominal: list[str | int] | None = None,
        **common: Any,
    ) -> None:
        if max_depth is not None:
            max_depth = whole(self, "max_depth", max_depth, least=1, most=2**31 - 1)
        self.max_depth = max_depth
        self.nominal = checked_nominal(self, nominal)
        super().__init__(**common)

    def _common(self) -> dict[str, Any]:
        """What every state of a tree is made with."""
        return {
            "criterion": self.criterion,
            "leaf_prediction": self.leaf_prediction,
            "max_depth": self.max_depth,
            "nominal": self.nominal,
        }

    def _outline(self) -> dict[str, Any]:
        with self._model.reading():
            return {**self._model.state.outline(), **self._model.export_names()}

    def explain_one(self, x: Example) -> Explanation:
        """The way `x` takes through the tree, and what was counted where it ends."""
        return explain(self._root(), x, self.predict_one(x))  # type: ignore[attr-defined]

    def merge(self, other: Learner) -> None:
        """Trees cannot be merged: two trees have different splits at different nodes."""
        raise NotMergeable(
            f"{type(self).__name__}: trees cannot be merged: two of them ask different questions, "
            f"and what their leaves have counted does not say how the other tree would have "
            f"sorted it."
        )


def checked_nominal(owner: object, nominal: Any) -> list[str | int] | None:
    """A list of names of features, or None."""
    who = type(owner).__name__
    if nominal is None:
        return None
    if isinstance(nominal, (str, bytes, dict)) or not hasattr(nominal, "__iter__"):
        raise TypeError(f"{who}: nominal must be a list of features, got {nominal!r:.80}.")
    names = list(nominal)
    for name in names:
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise TypeError(f"{who}: nominal must name features, got {name!r:.80}.")
    return names


class HoeffdingTree(Tree):
    """A tree that splits a leaf when Hoeffding's bound shows which feature is best.

    Parameters
    ----------
    delta : float in (0, 1], default 1e-7
        Chance of a wrong choice that one split may take. Raise it for earlier, riskier splits.
    grace_period : float > 0, default 200
        Weight of examples between two attempts to split a leaf. Lower it to split a little
        earlier, raise it for speed.
    tau : float >= 0, default 0.05
        Break ties when the bound falls below. 0 waits for a clear winner, maybe for ever.
    nominal_split : {"binary", "branches"}, default "branches"
        How a nominal feature splits: one value against all others, which keeps examples together
        where there are many values, or a branch for each value (the lectures, MOA, River).
    max_bytes : int >= 10_000 or None, default None
        Most memory of the model. When it is short, the leaves where a split promises least lose
        their tables (they go on counting) until their promise rises, and in some trees features
        that trail the best one of their leaf by Hoeffding's bound are dropped there. Features and
        nominal values take at most half of it: those that come later are as if absent. (Columns
        of arrays are always known; beside them names take at most an eighth.) Nodes take at most
        the rest: then nothing is split any more, and a value without a branch goes where most
        examples went. A label that there is no room for is refused.
    """

    def __init__(
        self,
        *,
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        nominal_split: NominalSplit = "branches",
        max_bytes: int | None = None,
        **common: Any,
    ) -> None:
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        self.grace_period = positive(self, "grace_period", grace_period)
        self.tau = number(self, "tau", tau, least=0.0)
        self.nominal_split = choice(self, "nominal_split", nominal_split, ("binary", "branches"))
        self.max_bytes = None
        if max_bytes is not None:
            self.max_bytes = whole(self, "max_bytes", max_bytes, least=10_000, most=2**60)
        super().__init__(**common)
        if getattr(self, "_declared", None) is not None:
            self._model.state.check_labels(len(self.labels))  # type: ignore[attr-defined]

    def _common(self) -> dict[str, Any]:
        splits = {
            "delta": self.delta,
            "grace_period": self.grace_period,
            "tau": self.tau,
            "nominal_split": self.nominal_split,
            "max_bytes": self.max_bytes,
        }
        return {**super()._common(), **splits}


class CountingTree(HoeffdingTree):
    """A tree that can count as MOA and River do.

    Parameters
    ----------
    seed_children : bool, default False
        New leaves begin with what their split promises them, as in MOA and River, instead of
        answering like their parent at first.
    weights : {"given", "poisson"}, default "given"
        How often an example counts: as its weight says, or max(1, Poisson(1)) times that, drawn
        for each example, as the adaptive trees of MOA and River do: splits come earlier.
    seed : int, default 0
        Of these draws.
    """

    def __init__(
        self,
        *,
        seed_children: bool = False,
        weights: Weights = "given",
        seed: int = 0,
        **common: Any,
    ) -> None:
        self.seed_children = flag(self, "seed_children", seed_children)
        self.weights = choice(self, "weights", weights, ("given", "poisson"))
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        super().__init__(**common)

    def _common(self) -> dict[str, Any]:
        counts = {"seed_children": self.seed_children, "weights": self.weights, "seed": self.seed}
        return {**super()._common(), **counts}


class AdaptingTree(HoeffdingTree):
    """A tree that trains alternates for parts of itself, and lets them take over."""

    @property
    def n_alternates(self) -> int:
        """Alternate trees ever started."""
        return int(self._model.readable_state().started)

    @property
    def n_switches(self) -> int:
        """Alternate trees that took over."""
        return int(self._model.readable_state().switched)


class TreeClassifier(Tree, ProbabilisticClassifier):
    """A classification tree.

    Parameters
    ----------
    criterion : {"info_gain", "gini"}, default "info_gain"
        What a split should reduce: entropy or the Gini index.
    leaf_prediction : {"nba", "nb", "mc"}, default "nba"
        What a leaf answers: naive Bayes ("nb"), its majority ("mc"), or whichever of the two was
        right more often at this leaf.
    variance_floor : float >= 0, default 0.0
        Share of a feature's variance over all labels of a leaf that naive Bayes adds to the
        variance of each label there: a label that has shown one value so far is not certain of
        it. Raise it for smoother answers; 0 adds nothing, as MOA and River, and then a number
        that differs from the only one seen so far rules its label out.
    ties : {"parent", "first"}, default "first"
        Which of two equally likely labels a leaf answers: the one that its parent has counted
        more often (then the parent's parent, and so on), or the first one seen (of two labels
        True, 1, or the second one seen).
    """

    def __init__(
        self,
        *,
        criterion: LabelCriterion = "info_gain",
        leaf_prediction: LabelPrediction = "nba",
        variance_floor: float = 0.0,
        ties: Ties = "first",
        **common: Any,
    ) -> None:
        self.criterion = choice(self, "criterion", criterion, ("info_gain", "gini"))
        self.leaf_prediction = choice(self, "leaf_prediction", leaf_prediction, ("nba", "nb", "mc"))
        self.variance_floor = number(self, "variance_floor", variance_floor, least=0.0, most=1e6)
        self.ties = choice(self, "ties", ties, ("parent", "first"))
        super().__init__(**common)

    def _common(self) -> dict[str, Any]:
        return {**super()._common(), "variance_floor": self.variance_floor, "ties": self.ties}
