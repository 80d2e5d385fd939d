"""Random Fourier features: the RBF kernel for linear learners."""

from typing import Any

from ..base.checks import positive, whole
from ._projections import FourierState
from .transformer import NamesOnly


class RandomFourierFeatures(NamesOnly):
    """Features whose products approximate the RBF kernel exp(-gamma |x-z|^2) (Rahimi & Recht).

    Random frequencies are drawn for each feature from its name and the seed, so the order in which
    features appear does not matter. Out come n_components cosines and as many sines, of length 1.

    Parameters
    ----------
    n_components : int > 0, default 400
        Frequencies; the error of the kernel falls like 1/sqrt(2 n_components).
    gamma : float > 0, default 1.0
        Higher sees finer detail.
    seed : int >= 0, default 0
        Other frequencies.

    Examples
    --------
    >>> features = RandomFourierFeatures(n_components=1000, seed=1)
    >>> features.learn_one({"a": 0.0})
    >>> z = features.transform_one({"a": 0.5})
    >>> round(sum(value * value for value in z.values()), 12)
    1.0
    """

    def __init__(self, *, n_components: int = 400, gamma: float = 1.0, seed: int = 0) -> None:
        self.n_components = whole(self, "n_components", n_components, least=1, most=2**24)
        self.gamma = positive(self, "gamma", gamma, "Higher sees finer detail.")
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        super().__init__()

    def _new_state(self) -> Any:
        return FourierState(self.n_components, self.gamma, self.seed)
