"""Boosting in plain Python: trees of the library, with targets, sums and draws by hand."""

from math import exp, log
from typing import Any

import numpy as np

from onstream.drift import ADWIN
from onstream.tree import HoeffdingTreeRegressor

from .ensembles import poisson, uniform


class GradientChain:
    """A chain of stages over all features that never begin anew; `label` None: of numbers."""

    def __init__(self, stages: int, rate: float, label: Any = None, bag: int = 1, **tree: Any):
        self.rate, self.label, self.bag, self.t = rate, label, bag, 0
        self.key = 1  # of seed 0
        self.trees = [
            [HoeffdingTreeRegressor(**tree, nominal_split="binary") for _ in range(bag)]
            for _ in range(stages)
        ]

    def score(self, x: Any) -> float:
        """What all stages say together."""
        total = 0.0
        for trees in self.trees:
            answers = 0.0
            for tree in trees:
                answers += tree.predict_one(x) if tree.seen else 0.0
            total += self.rate * (answers / self.bag)
        return total

    def learn_one(self, x: Any, y: Any) -> None:
        """Each stage learns a Newton step from where those before it now lead."""
        total = 0.0
        for stage, trees in enumerate(self.trees):
            if self.label is None:
                target = y - total
            else:
                p = 1.0 / (1.0 + exp(-total))
                gradient = (y == self.label) - p
                target = gradient / (p * (1.0 - p))
            answers = 0.0
            for i, tree in enumerate(trees):
                place = stage * self.bag + i
                times = 1 if self.bag == 1 else poisson(1.0, uniform(self.key + place, self.t))
                if times:
                    tree.learn_one(x, target, times)
                answers += tree.predict_one(x) if tree.seen else 0.0
            total += self.rate * (answers / self.bag)
        self.t += 1


class OzaBoosting:
    """Online boosting over a learner of the library, with an ADWIN for each member."""

    def __init__(self, learner: Any, n_models: int, delta: float):
        self.learner, self.delta = learner, delta
        self.members = [learner.clone() for _ in range(n_models)]
        self.windows = [ADWIN(delta=delta) for _ in range(n_models)]
        self.right, self.wrong = [0.0] * n_models, [0.0] * n_models
        self.drifts: list[list[int]] = [[] for _ in range(n_models)]
        self.keys = [7_919 * i + 1 for i in range(n_models)]  # of seed 0
        self.t = 0

    def votes(self, x: Any) -> dict[Any, float]:
        """All probabilities, with the weights of their members."""
        total: dict[Any, float] = {}
        for i, member in enumerate(self.members):
            if member.seen:
                n = self.right[i] + self.wrong[i]
                error = max(self.wrong[i] / n, 1e-6) if n else 0.5
                weight = max(0.0, log((1.0 - error) / error)) if 0 < error < 1 else 0.0
                for label, p in member.predict_proba_one(x).items():
                    total[label] = total.get(label, 0.0) + (weight if n else 1.0) * p
        return total

    def learn_one(self, x: Any, y: Any) -> None:
        """Pass the example on, with more or less weight."""
        lam, risen = 1.0, False
        for i, member in enumerate(self.members):
            times = min(100, poisson(lam, uniform(self.keys[i], self.t)))
            if times:
                member.learn_one(x, y, times)
            if not member.seen:
                continue
            correct = member.predict_one(x) == y
            sums = self.right if correct else self.wrong
            sums[i] += lam
            lam = min(1e3, lam * (self.t + 1) / (2.0 * sums[i]))
            before = self.windows[i].mean
            risen |= self.windows[i].update(float(not correct)) and self.windows[i].mean > before
        if risen:
            worst = int(np.argmax([window.mean for window in self.windows]))
            self.members[worst] = self.learner.clone(labels=self.members[worst].labels)
            self.windows[worst] = ADWIN(delta=self.delta)
            self.right[worst] = self.wrong[worst] = 0.0
            self.drifts[worst].append(self.t)
        self.t += 1
