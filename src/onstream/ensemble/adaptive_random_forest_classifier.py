"""Adaptive random forest."""

from typing import Unpack

from .forest import ForestOptions, LabelForest


class AdaptiveRandomForestClassifier(LabelForest):
    """Adaptive random forest (Gomes et al., Machine Learning 106, 2017).

    Hoeffding trees that differ in two ways: each learns an example k times, k drawn from
    Poisson(6), and each leaf looks only at a random subset of round(√M)+1 of the M features. Two
    ADWINs watch the errors of each tree: a warning begins a tree in the background, an alarm lets
    it take over. A tree votes with the share of examples that it got right since it began.

    Parameters
    ----------
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

    _one_subspace, _share = False, 0.0

    def __init__(
        self,
        *,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        **common: Unpack[ForestOptions],
    ) -> None:
        self._watch(warning_delta, drift_delta)
        super().__init__(**common)
