"""Adaptive random forest."""

from typing import Literal, Unpack

from .forest import ForestOptions, LabelForest, checked_features, share_of


class AdaptiveRandomForestClassifier(LabelForest):
    """Adaptive random forest (Gomes et al., Machine Learning 106, 2017).

    Hoeffding trees that differ in two ways: each learns an example k times, k drawn from
    Poisson(6), and each leaf looks only at a random subset of the features. Two
    ADWINs watch the errors of each tree: a warning begins a tree in the background, an alarm lets
    it take over. A tree votes with the share of examples that it got right since it began.

    Parameters
    ----------
    max_features : "sqrt" or float in (0, 1], default "sqrt"
        How many of the M features a leaf watches: round(√M)+1 of them, or this share (at least 2).
        Raise it where few of many features matter; 0.6 is what MOA takes.
    warning_delta : float in [0, 1], default 0.01
        Of the ADWIN that begins trees in the background; 0: none.
    drift_delta : float in [0, 1], default 0.001
        Of the ADWIN that replaces trees: chance of a false alarm. 0: none is replaced.

    Examples
    --------
    >>> from onstream.streams import SEA, Drift
    >>> X, y = Drift(SEA(1), SEA(3), at=1000).block(2000)
    >>> model = AdaptiveRandomForestClassifier(n_models=5, seed=1)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[200:] == y[200:]).mean() > 0.85)
    True
    """

    _one_subspace = False

    def __init__(
        self,
        *,
        max_features: float | Literal["sqrt"] = "sqrt",
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        **common: Unpack[ForestOptions],
    ) -> None:
        self.max_features = checked_features(self, max_features)
        self._watch(warning_delta, drift_delta)
        super().__init__(**common)

    @property
    def _share(self) -> float:  # type: ignore[override]
        return share_of(self.max_features)
