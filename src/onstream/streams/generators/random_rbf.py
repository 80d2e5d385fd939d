"""Random radial basis functions."""

import numpy as np

from ...base.blocks import Block
from ...base.checks import number, whole
from .generator import Draw, Generator, whole_numbers


class RandomRBF(Generator):
    """Random clouds: each example lies around one of many labelled centroids (as in MOA).

    Centroids are uniform in the unit cube, with a label, a spread and a weight of their own. An
    example picks one by weight and lies from it in a random direction at a normal distance.

    Parameters
    ----------
    centroids : int > 0, default 50
        How many; more make a harder problem.
    features : int > 0, default 10
        How many features.
    labels : int > 0, default 2
        How many labels, 0, 1, ...
    speed : float >= 0, default 0
        How far a moving centroid goes per example, turning back at 0 and 1; 0 is no drift.
    n_drift : int >= 0, default 50
        How many of the centroids move (all, if there are not so many).
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> X, y = RandomRBF(labels=3, seed=1).block(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 10), [0, 1, 2])
    """

    def __init__(
        self,
        centroids: int = 50,
        *,
        features: int = 10,
        labels: int = 2,
        speed: float = 0.0,
        n_drift: int = 50,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.centroids = whole(self, "centroids", centroids, least=1)
        self.features = whole(self, "features", features, least=1)
        self.labels = whole(self, "labels", labels, least=1)
        self.speed = number(self, "speed", speed, least=0.0)
        self.n_drift = whole(self, "n_drift", n_drift, least=0)

    def _start(self) -> Draw:
        concept, d, k = self._concept(), self.features, self.centroids
        centres = concept.random((k, d))
        labels = whole_numbers(concept.random(k), 0, self.labels - 1)
        spread = concept.random(k)
        upto = np.cumsum(concept.random(k))
        directions = concept.uniform(-1.0, 1.0, (k, d))
        directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
        directions[self.n_drift :] = 0.0
        pick, direction, distance = self._instances(3)
        t = 0

        def draw(n: int) -> Block:
            nonlocal t
            which = np.searchsorted(upto, pick.random(n) * upto[-1], side="right")
            which = np.minimum(which, k - 1)
            times = np.arange(t, t + n)[:, None]
            t += n
            centre = reflected(centres[which] + times * self.speed * directions[which])
            u = direction.random((n, d)) * 2.0 - 1.0
            norm = np.sqrt(sum(u[:, j] ** 2 for j in range(d)))
            step = distance.standard_normal(n) * spread[which] / norm
            return centre + u * np.asarray(step)[:, None], labels[which]

        return draw


def reflected(position: np.ndarray) -> np.ndarray:
    """Where something is that moves straight on but turns back at 0 and 1."""
    return 1.0 - np.abs(position % 2.0 - 1.0)
