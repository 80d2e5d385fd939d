"""Ensembles in plain Python: learners of the library, with draws and votes by hand."""

from math import exp
from typing import Any

import numpy as np

from onstream.drift import ADWIN

WORD = 2**64 - 1


def mix(h: int) -> int:
    """The finaliser of splitmix64."""
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    h = (h ^ (h >> 27)) * 0x94D049BB133111EB & WORD
    return h ^ (h >> 31)


def uniform(key: int, place: int) -> float:
    """A number in (0, 1) for this key and place."""
    golden = 0x9E3779B97F4A7C15
    bits = mix((mix(key + golden & WORD) + place * golden) & WORD)
    return ((bits >> 11) + 0.5) / 2**53


def poisson(lam: float, u: float) -> int:
    """The least k at which the distribution function of Poisson(lam) is at least u."""
    k, chance = 0, exp(-lam)
    below = chance
    while u > below:
        k += 1
        chance = chance * lam / k
        below += chance
    return k


def draws(seed: int, member: int, lam: float, n: int) -> list[int]:
    """How often a member learns each of the first n examples."""
    key = (seed * 1_000_003 + 7_919 * member + 1) % 2**64
    return [poisson(lam, uniform(key, t)) for t in range(n)]


class Bagging:
    """Online bagging, and with `delta` leveraging bagging, over learners of the library."""

    def __init__(self, learner: Any, n_models: int, lam: float, n: int, delta: float | None = None):
        self.learner, self.delta = learner, delta
        self.members = [learner.clone() for _ in range(n_models)]
        self.times = [draws(0, i, lam, n) for i in range(n_models)]
        self.windows = [ADWIN(delta=delta or 0.002) for _ in range(n_models)]
        self.drifts: list[list[int]] = [[] for _ in range(n_models)]
        self.t = 0

    def votes(self, x: Any) -> dict[Any, float]:
        """The sum of all probabilities."""
        total: dict[Any, float] = {}
        for member in self.members:
            if member.seen:
                for label, p in member.predict_proba_one(x).items():
                    total[label] = total.get(label, 0.0) + p
        return total

    def learn_one(self, x: Any, y: Any) -> None:
        """Each member learns the example as often as its draw says."""
        risen = False
        for i, member in enumerate(self.members):
            wrong = member.seen == 0 or member.predict_one(x) != y
            if self.times[i][self.t]:
                member.learn_one(x, y, self.times[i][self.t])
            before = self.windows[i].mean
            risen |= self.windows[i].update(float(wrong)) and self.windows[i].mean > before
        if self.delta is not None and risen:
            worst = int(np.argmax([window.mean for window in self.windows]))
            self.members[worst] = self.learner.clone(labels=self.members[worst].labels)
            self.windows[worst] = ADWIN(delta=self.delta)
            self.drifts[worst].append(self.t)
        self.t += 1
