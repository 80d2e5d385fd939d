"""A rotating hyperplane."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import number, whole
from .generator import Draw, Generator, flipped


class Hyperplane(Generator):
    """A rotating hyperplane (Hulten, Spencer and Domingos, KDD 2001): whether w·x ≥ ½Σw.

    Features uniform in [0, 1), weights drawn from the same. After each example the first
    `n_drift` weights move.

    Parameters
    ----------
    features : int > 0, default 10
        How many features.
    n_drift : int >= 0, default 2
        How many weights move.
    mag : float, default 0
        How far a weight moves per example; 0 is no drift.
    flip : float from 0 to 1, default 0.1
        Probability, per example, that a weight turns round.
    noise : float from 0 to 1, default 0
        Share of labels turned round; MOA takes 0.05.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> X, y = Hyperplane(mag=0.001, seed=1).block(1000)
    >>> X.shape, bool(0.4 < y.mean() < 0.6)
    ((1000, 10), True)
    """

    def __init__(
        self,
        features: int = 10,
        *,
        n_drift: int = 2,
        mag: float = 0.0,
        flip: float = 0.1,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.features = whole(self, "features", features, least=1)
        self.n_drift = whole(self, "n_drift", n_drift, least=0, most=self.features)
        self.mag = number(self, "mag", mag)
        self.flip = self._share("flip", flip)
        self.noise = self._share("noise", noise)

    def _start(self) -> Draw:
        w = self._concept().random(self.features)
        sigma = np.ones(self.n_drift)
        uniform, turns, noise = self._instances(3)
        moving = self.n_drift if self.mag else 0

        def draw(n: int) -> Block:
            nonlocal w, sigma
            X = uniform.random((n, self.features))
            W = np.tile(w, (n + 1, 1))  # row i: the weights of example i
            if moving:
                # An example moves w by the present σ; then σ may turn round for the next one.
                turned = np.where(turns.random((n, moving)) < self.flip, -1.0, 1.0)
                sigmas = np.cumprod(np.vstack([sigma, turned]), axis=0)
                W[:, :moving] = np.cumsum(np.vstack([w[:moving], self.mag * sigmas[:-1]]), axis=0)
                w, sigma = W[-1].copy(), sigmas[-1]
            W = W[:-1]
            # Features one after the other, so that a row's sum is the same in every block.
            total = sum(W[:, j] * (X[:, j] - 0.5) for j in range(self.features))
            return X, flipped(np.asarray(total) >= 0.0, noise, self.noise)

        return draw
