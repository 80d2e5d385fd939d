"""Online selection among regressors."""

from typing import Any, Literal, Unpack

from ..base.checks import choice
from ..base.regressor import Regressor
from ._numbers import EvolvingNumberState
from .base import NumberSelectionOptions, Selection
from .default_space import regressors


class EvolvingRegressor(Selection, Regressor):
    """The same as `EvolvingClassifier` (EvoAutoML, 2022), of numbers, judged by squared errors.

    Parameters
    ----------
    vote : {"weighted", "mean", "best"}, default "weighted"
        How predictions become one. "weighted": the mean, each weighted by the inverse square of
        its mean squared error of late. "mean": all count the same. "best": the best member alone.

    Examples
    --------
    >>> from onstream.linear import LMS
    >>> model = EvolvingRegressor(space=[LMS(eta=0.001), LMS(eta=0.1)], population=2)
    >>> for i in range(500):
    ...     model.learn_one({"x": i % 5 / 5.0}, 2.0 * (i % 5) / 5.0 + 1.0)
    >>> round(model.predict_one({"x": 0.5}), 1)
    2.0
    """

    _kind = Regressor
    _usual_space = staticmethod(regressors)

    def __init__(
        self,
        *,
        vote: Literal["weighted", "mean", "best"] = "weighted",
        **common: Unpack[NumberSelectionOptions],
    ) -> None:
        self.vote = choice(self, "vote", vote, ("weighted", "mean", "best"))
        super().__init__(**common)

    def _new_state(self) -> Any:
        search = self._new_search()
        return EvolvingNumberState(
            search,
            self._first_members(search),
            n_jobs=self.n_jobs,
            rule=self.vote,
            interval=self.interval or 0,
            fading=self.fading,
        )
