"""Streaming random patches."""

from typing import Unpack

from ..base.checks import number
from .forest import ForestOptions, LabelForest


class StreamingRandomPatchesClassifier(LabelForest):
    """Streaming random patches (Gomes, Read and Bifet, ICDM 2019).

    As an adaptive random forest, but each tree as a whole sees a random subset of the features, and
    a tree that begins anew draws another one. What is watched are the errors that a tree makes once
    it has learned the example, as in MOA.

    Parameters
    ----------
    subspace : float in (0, 1], default 0.6
        Share of the features that a tree sees, two at least. Lower it for more different trees.
    warning_delta : float in [0, 1], default 1e-4
        Of the ADWIN that begins trees in the background; 0: none.
    drift_delta : float in [0, 1], default 1e-5
        Of the ADWIN that replaces trees: chance of a false alarm. 0: none is replaced.

    Examples
    --------
    >>> from onstream.streams import SEA
    >>> X, y = SEA(seed=1).block(1000)
    >>> model = StreamingRandomPatchesClassifier(seed=1)
    >>> guesses = model.predict_learn_many(X, y)
    >>> bool((guesses[200:] == y[200:]).mean() > 0.8)
    True
    """

    _one_subspace = True
    _hindsight = True

    def __init__(
        self,
        *,
        subspace: float = 0.6,
        warning_delta: float = 1e-4,
        drift_delta: float = 1e-5,
        **common: Unpack[ForestOptions],
    ) -> None:
        self.subspace = number(self, "subspace", subspace, above=0.0, most=1.0)
        self._watch(warning_delta, drift_delta)
        super().__init__(**common)

    @property
    def _share(self) -> float:  # type: ignore[override]
        return self.subspace
