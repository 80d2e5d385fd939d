"""Adaptive random forest of numbers."""

from collections.abc import Callable
from typing import Any, Literal, Unpack

from ..base.checks import choice
from ..core.regressor import RegressorModel
from ..tree._subspace_regression import SubspaceRegressorState
from ._ensemble import NumberEnsembleState
from .base import NumberEnsemble, member_seed
from .forest import Forest, NumberForestOptions, checked_features, share_of


class AdaptiveRandomForestRegressor(Forest, NumberEnsemble):
    """Adaptive random forest for regression (Gomes et al., ESANN 2018).

    Hoeffding trees for numbers, each of which learns an example k times, k drawn from Poisson(6),
    and each leaf of which seeks splits on a random subset of the features. Two
    ADWINs watch the errors of each tree, in units of three times their root mean square so far: a
    warning begins a tree in the background, an alarm lets it take over. (MOA lets them watch the
    predictions.) The same draws in plain Python: tests/oracles/ensembles.py.

    Parameters
    ----------
    max_features : "sqrt" or float in (0, 1], default "sqrt"
        How many of the M features a leaf watches: round(√M)+1 of them, or this share (at least 2).
        Raise it where few of many features matter; 0.6 is what MOA takes.
    warning_delta : float in [0, 1], default 0.01
        Of the ADWIN that begins trees in the background; 0: none.
    drift_delta : float in [0, 1], default 0.001
        Of the ADWIN that replaces trees: chance of a false alarm. 0: none is replaced.
    aggregation : {"median", "mean"}, default "median"
        What is made of the predictions of all trees. The mean errs less where no tree is far off.

    Examples
    --------
    >>> from onstream.streams import Friedman
    >>> X, y = Friedman(seed=1).block(2000)
    >>> model = AdaptiveRandomForestRegressor(n_models=5, seed=1)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool(abs(guesses - y)[1000:].mean() < 2.5)
    True
    """

    def __init__(
        self,
        *,
        max_features: float | Literal["sqrt"] = "sqrt",
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        aggregation: Literal["median", "mean"] = "median",
        **common: Unpack[NumberForestOptions],
    ) -> None:
        self.max_features = checked_features(self, max_features)
        self._watch(warning_delta, drift_delta)
        self.aggregation = choice(self, "aggregation", aggregation, ("median", "mean"))
        super().__init__(**common)

    def _new_state(self) -> Any:
        members = [self._member(i, self._maker(i)) for i in range(self.n_models)]
        return NumberEnsembleState(members, n_jobs=self.n_jobs, median=self.aggregation == "median")

    def _maker(self, i: int) -> Callable[[int], Any]:
        """What makes the trees of a member, one for each generation."""
        name, key = type(self).__name__, member_seed(self.seed + 1, i)
        options: dict[str, Any] = {
            "delta": self.delta,
            "grace_period": self.grace_period,
            "tau": self.tau,
            "criterion": "variance",
            "leaf_prediction": "adaptive",
            "max_depth": self.max_depth,
            "nominal": self.nominal,
            "max_bytes": self._tree_bytes(),
            "nominal_split": "branches",
            "observer": "quantised",
            "seed_children": False,
            "weights": "given",
            "seed": 0,
            "share": share_of(self.max_features),
        }

        def make(generation: int) -> Any:
            state = SubspaceRegressorState(**options, draws=member_seed(key, generation))
            state.who = name
            return RegressorModel(name, state)

        return make
