"""What all ensembles share: their members, and the threads that these learn in."""

from collections.abc import Callable
from itertools import count
from typing import Any, TypedDict

from ..base.checks import whole
from ..base.classifier import Classifier, LabelledOptions, ProbabilisticClassifier
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions
from ..base.part import Part
from ..base.regressor import Regressor
from ..base.types import Example
from ..core.classifier import ClassifierModel
from ..core.regressor import RegressorModel
from ._bagging import BaggingMember
from ._ensemble import votes_of
from ._retraining import RetrainingMember
from .views import EnsembleExplanation, MemberTree, MemberVote, is_tree, mean_importances

MOST_MEMBERS = 100_000


class EnsembleOptions(TypedDict, total=False):
    """Parameters of every ensemble."""

    n_models: int
    n_jobs: int
    seed: int


class LabelEnsembleOptions(EnsembleOptions, LabelledOptions, total=False):
    """Parameters of every ensemble that predicts labels."""


class NumberEnsembleOptions(EnsembleOptions, LearnerOptions, total=False):
    """Parameters of every ensemble that predicts numbers."""


class Ensemble(Learner):
    """A learner made of learners.

    Parameters
    ----------
    n_models : int >= 1, default 10
        How many members. More of them vote more steadily, and take as much more time and memory.
    n_jobs : int >= 1, default 1
        Threads that members learn and predict blocks of rows in. The result is the same for any.
    seed : int, default 0
        Of all random draws.
    """

    _model: Any
    _apart = False  # could each member learn in another process, as it never looks at the others?

    def __init__(
        self, *, n_models: int = 10, n_jobs: int = 1, seed: int = 0, **common: Any
    ) -> None:
        self.n_models = whole(self, "n_models", n_models, least=1, most=MOST_MEMBERS)
        self.n_jobs = whole(self, "n_jobs", n_jobs, least=1, most=1024)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        super().__init__(**common)

    def _members(self) -> list[Any]:
        """The members as they were made."""
        return list(self._model.readable_state().committee.members)

    def merge(self, other: Learner) -> None:
        """Ensembles cannot be merged: see the message."""
        raise NotMergeable(
            f"{type(self).__name__}: it cannot be merged: members that saw other data made other "
            f"splits or began anew at other times. Train members apart, and let them vote; "
            f"OnlineBagging over learners that can be merged, such as linear ones, is merged "
            f"member by member."
        )

    @property
    def trees(self) -> list[MemberTree]:
        """All trees that vote, as they are now, to be looked at: `model.trees[0].to_svg()`."""
        return [tree for views in self._looked_at() for tree in views]

    def _looked_at(self) -> list[list[MemberTree]]:
        """Views of the trees of each member: one, none, or of a chain all of them."""
        name, model, number = type(self).__name__, self._model, count()
        with model.reading():
            names = model.export_names()
            return [
                [
                    MemberTree(f"{name}.trees[{next(number)}]", {**one.state.outline(), **names})
                    for one in member.voting()
                    if is_tree(one)
                ]
                for member in model.state.committee.members
            ]

    @property
    def feature_importances(self) -> dict[Any, float]:
        """Feature to its share in what splits have gained, on average over trees."""
        return mean_importances(self.trees)

    def explain_one(self, x: Example) -> EnsembleExplanation:
        """The vote of each member for `x`, and the way that it takes through one that is a tree."""
        prediction = self.predict_one(x)  # type: ignore[attr-defined]
        labels = getattr(self, "labels", None)
        found = []
        for views, vote in zip(self._looked_at(), votes_of(self._model, x), strict=True):
            said: Any = None if vote[0] != vote[0] else float(vote[0])
            own = said
            if labels is not None:
                said = dict(zip(labels, vote.tolist(), strict=False))
                own = max(said, key=lambda label: said[label], default=None)
            found.append(MemberVote(said, views[0].way_of(x, own) if len(views) == 1 else None))
        return EnsembleExplanation(prediction, found)

    @property
    def drifts(self) -> list[list[int]]:
        """For each member the numbers of the examples (from 0) after which it began anew.

        The last 1,000 of each are kept.
        """
        with self._model.reading():
            return [list(member.marks) for member in self._members()]


class LabelEnsemble(Ensemble, ProbabilisticClassifier):
    """An ensemble that predicts labels: by the sum of its members' votes."""


class NumberEnsemble(Ensemble, Regressor):
    """An ensemble that predicts numbers."""


def member_seed(seed: int, member: int) -> int:
    """The key of a member's random numbers."""
    return (seed * 1_000_003 + 7_919 * member + 1) % 2**64


class Wrapped:
    """An ensemble over learners that the user gives: a learner, or a list with one per member."""

    _several = True  # a list of learners is taken, too
    learner: Any
    _learners: list[Any]  # templates

    def _set_learner(
        self, learner: Any, default: type[Learner], kind: type[Learner], common: Any
    ) -> None:
        """Check the learner or learners, and keep templates of them. A list says `n_models`."""
        name = type(self).__name__
        several = isinstance(learner, (list, tuple)) and self._several
        given = list(learner) if several else [default() if learner is None else learner]
        if not given:
            raise ValueError(f"{name}: learner must be a learner or a list of some, got [].")
        if several:
            common.setdefault("n_models", len(given))
        for one in given:
            check_learner(name, one, kind)
        self._learners = [one if one._is_template() else one._template() for one in given]
        self.learner = None if learner is None else self._learners if several else self._learners[0]

    def _templates(self, n_models: int) -> list[Any]:
        """One learner for each member."""
        if n_models < len(self._learners):
            raise ValueError(
                f"{type(self).__name__}: n_models is {n_models}, but there are "
                f"{len(self._learners)} learners; each must be a member."
            )
        return [self._learners[i % len(self._learners)] for i in range(n_models)]


def check_learner(owner: str, learner: Any, kind: type[Learner]) -> None:
    """Refuse what cannot be a member."""
    if not isinstance(learner, Learner):
        raise TypeError(
            f"{owner}: learner must be a learner, such as HoeffdingTreeClassifier(), or a list of "
            f"some, got {learner!r:.80}."
        )
    what = type(learner).__name__
    if not isinstance(learner, kind):
        wanted = "labels" if issubclass(kind, Classifier) else "numbers"
        raise TypeError(f"{owner}: all members must predict {wanted}; {what} does not.")
    if not isinstance(learner._model, (ClassifierModel, RegressorModel)):
        raise TypeError(
            f"{owner}: {what} learns from objects, not from features, so it cannot be a member."
        )
    last = learner.steps[-1] if hasattr(learner, "steps") else learner
    if any(callable(value) and not isinstance(value, Part) for value in last.params.values()):
        raise TypeError(f"{owner}: {what} calls functions of yours, so it cannot be a member.")
    if learner.seen:
        raise ValueError(f"{owner}: {what} has learned already; give learner.clone().")
    if getattr(last, "hash_bits", None) is not None:
        raise ValueError(
            f"{owner}: {what} has hash_bits; put FeatureHasher() | before the ensemble instead."
        )
    if last.params.get("labels") is not None:
        raise ValueError(f"{owner}: declare labels of the ensemble, not of {what}.")


def maker(template: Any) -> Callable[[int], Any]:
    """What makes the models of a member."""
    return lambda generation: template._new_model()


def is_probabilistic(learner: Any) -> bool:
    """Say whether a learner has probabilities, so that its votes can be split."""
    return hasattr(learner, "predict_proba_one")


def bagged(ensemble: Any) -> list[BaggingMember]:
    """The members: each learns an example as often as Poisson(1) says."""
    return [
        BaggingMember(
            maker(learner),
            lam=1.0,
            probabilistic=is_probabilistic(learner),
            seed=member_seed(ensemble.seed, i),
        )
        for i, learner in enumerate(ensemble._templates(ensemble.n_models))
    ]


def retrained(owner: Any, default: type[Any]) -> RetrainingMember:
    """The one member of a learner that begins anew on an alarm."""
    learner = owner._learners[0]
    detector = default() if owner.detector is None else owner.detector
    return RetrainingMember(
        maker(learner),
        detector=detector._named_state(),
        probabilistic=is_probabilistic(learner),
        seed=0,
    )
