"""Online boosting with ADWIN."""

from typing import Any, Unpack

from ..base.checks import number
from ..base.classifier import Classifier
from ..tree.hoeffding_tree_classifier import HoeffdingTreeClassifier
from ._adwin_boosting import AdwinBoostingState, BoostedMember
from .base import (
    LabelEnsemble,
    LabelEnsembleOptions,
    Wrapped,
    is_probabilistic,
    maker,
    member_seed,
)


class ADWINBoosting(Wrapped, LabelEnsemble):
    """Online boosting (Oza and Russell, AISTATS 2001) with ADWIN, as in MOA and River.

    An example goes from member to member with a weight: a member learns it Poisson(weight) times;
    if it is right then, the next ones get it with less weight, otherwise with more. An ADWIN
    watches the errors of each; when those of one rise, the member with most errors of all is
    replaced by a new one. Votes have the weight log((1 - error) / error). The same in plain
    Python: tests/oracles/boosting.py.

    Parameters
    ----------
    learner : classifier, list or None, default None
        What the members are (None: HoeffdingTreeClassifier());
        of a list, each is one member, and `n_models` is their number.
    delta : float in (0, 1], default 0.002
        Of ADWIN: chance of a false alarm. Lower it for fewer replacements.

    Examples
    --------
    >>> from onstream.streams import SEA
    >>> model = ADWINBoosting(n_models=3)
    >>> X, y = SEA(seed=1).block(1000)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[100:] == y[100:]).mean() > 0.85)
    True
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        delta: float = 0.002,
        **common: Unpack[LabelEnsembleOptions],
    ) -> None:
        self._set_learner(learner, HoeffdingTreeClassifier, Classifier, common)
        self.delta = number(self, "delta", delta, above=0.0, most=1.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        members: list[BoostedMember] = []
        for i, learner in enumerate(self._templates(self.n_models)):
            members.append(
                BoostedMember(
                    maker(learner),
                    before=members[-1] if members else None,
                    delta=self.delta,
                    probabilistic=is_probabilistic(learner),
                    seed=member_seed(self.seed, i),
                )
            )
        return AdwinBoostingState(members, n_jobs=self.n_jobs)
