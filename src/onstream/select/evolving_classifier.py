"""Online selection among classifiers."""

from typing import Any, Literal, Unpack

from ..base.checks import choice
from ..base.classifier import Classifier, ProbabilisticClassifier
from ._labels import EvolvingLabelState
from .base import LabelSelectionOptions, Selection
from .default_space import classifiers


class EvolvingClassifier(Selection, ProbabilisticClassifier):
    """Learn many configurations side by side, and let the best have children (EvoAutoML, 2022).

    Kulbach, Montiel, Bahri, Heyden and Bifet, "Evolution-Based Online Automated Machine Learning",
    PAKDD 2022. Every member predicts each example, is judged, then learns it. After each interval
    the worst makes way for a copy of the best with one choice drawn again, which goes on with
    what its parent has learned where that choice allows. The answer is a mixture of all members'
    whose weights are learned on the way (Mattern, "Mixing strategies in data compression", DCC
    2012), so it follows whoever was right lately. The loop in plain Python:
    tests/oracles/evolution.py.

    Parameters
    ----------
    vote : {"mixed", "weighted", "majority", "best"}, default "mixed"
        How answers become one. "mixed": a softmax of weighted log odds, whose weights take a step
        down the gradient of their log loss with every example. "weighted": each counts by the
        log odds that it is right, judged by its latest answers. "majority": all count the same.
        "best": the best member alone. Ties go to the label of the best member.

    Examples
    --------
    >>> from onstream.linear import LogisticRegression, PAClassifier
    >>> from onstream.select import LogRange, Vary
    >>> from onstream.streams import SEA
    >>> space = [Vary(PAClassifier(scale="auto"), C=LogRange(0.01, 1.0)), LogisticRegression()]
    >>> model = EvolvingClassifier(space=space, population=4, interval=200)
    >>> X, y = SEA(seed=1).block(2000)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[500:] == y[500:]).mean() > 0.85)
    True
    >>> len(model.history) - len(model.members)        # members that have died
    10
    """

    _kind = Classifier
    _usual_space = staticmethod(classifiers)

    def __init__(
        self,
        *,
        vote: Literal["mixed", "weighted", "majority", "best"] = "mixed",
        **common: Unpack[LabelSelectionOptions],
    ) -> None:
        self.vote = choice(self, "vote", vote, ("mixed", "weighted", "majority", "best"))
        super().__init__(**common)

    def _new_state(self) -> Any:
        search = self._new_search()
        return EvolvingLabelState(
            search,
            self._first_members(search),
            n_jobs=self.n_jobs,
            rule=self.vote,
            interval=self.interval or 0,
            fading=self.fading,
        )
