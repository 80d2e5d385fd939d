"""Leveraging bagging."""

from typing import Any, Unpack

from ..base.checks import number
from ..base.classifier import Classifier
from ..tree.hoeffding_tree_classifier import HoeffdingTreeClassifier
from ._bagging import LeveragingState, WatchedMember
from .base import (
    LabelEnsemble,
    LabelEnsembleOptions,
    Wrapped,
    is_probabilistic,
    maker,
    member_seed,
)


class LeveragingBagging(Wrapped, LabelEnsemble):
    """Leveraging bagging (Bifet, Holmes and Pfahringer, ECML 2010).

    Online bagging with more weight on every example (Poisson(6)), and with an ADWIN for each
    member that watches the errors it makes before it learns. When the errors of one rise, the
    member with most errors of all is replaced by a new one. The same in plain Python:
    tests/oracles/ensembles.py.

    Parameters
    ----------
    learner : classifier, list or None, default None
        What the members are (None: HoeffdingTreeClassifier());
        of a list, each is one member, and `n_models` is their number.
    lam : float > 0, default 6.0
        How often a member learns an example on average. Lower it for more different members.
    delta : float in (0, 1], default 0.002
        Of ADWIN: chance of a false alarm. Lower it for fewer replacements.

    Examples
    --------
    >>> from onstream.streams import SEA
    >>> model = LeveragingBagging(n_models=3)
    >>> X, y = SEA(seed=1).block(1000)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[100:] == y[100:]).mean() > 0.85)
    True
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        lam: float = 6.0,
        delta: float = 0.002,
        **common: Unpack[LabelEnsembleOptions],
    ) -> None:
        self._set_learner(learner, HoeffdingTreeClassifier, Classifier, common)
        self.lam = number(self, "lam", lam, above=0.0, most=50.0)
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        members = [
            WatchedMember(
                maker(learner),
                lam=self.lam,
                delta=self.delta,
                probabilistic=is_probabilistic(learner),
                seed=member_seed(self.seed, i),
            )
            for i, learner in enumerate(self._templates(self.n_models))
        ]
        return LeveragingState(members, n_jobs=self.n_jobs)
