"""A learner of your own in plain Python, held to the contract, and raced against one of ours.

It remembers the mean of every feature for every label, and predicts the label whose means are
nearest (a nearest-centroid classifier).

    python examples/own_learner.py
"""

import numpy as np

from onstream import PAClassifier, prequential
from onstream.streams import Waveform
from onstream.testing import check_learner


class NearestMean:
    """The label whose features are nearest on average."""

    task = "labels"

    def __init__(self, *, prior=1.0):
        self.prior = prior  # examples at 0 that every mean begins with
        self.counts = {}  # label -> importance of its examples
        self.sums = {}  # label -> feature -> sum of its values
        self.seen = 0

    @property
    def params(self):
        return {"prior": self.prior}

    @property
    def labels(self):
        return list(self.counts)

    def clone(self):
        return type(self)(**self.params)

    def learn_one(self, x, y, w=1.0):
        x = checked(x)  # all checks come before the first change
        if type(y) not in (bool, int, str):
            raise TypeError(f"NearestMean: a label is a bool, an int or a string, got {y!r}.")
        if not 0.0 <= w < 1e100:
            raise ValueError(f"NearestMean: a weight is finite and not below 0, got {w!r}.")
        if w == 0.0:
            return
        self.seen += 1
        self.counts[y] = self.counts.get(y, 0.0) + w
        sums = self.sums.setdefault(y, {})
        for name, value in x.items():
            sums[name] = sums.get(name, 0.0) + w * value

    def predict_one(self, x):
        scores = self.scores(checked(x))
        return max(scores, key=scores.get) if scores else None

    def scores(self, x):
        """Minus the squared distance to the means of each label."""
        found = {}
        for label, count in self.counts.items():
            sums, n = self.sums[label], count + self.prior
            found[label] = -sum((value - sums.get(name, 0.0) / n) ** 2 for name, value in x.items())
        return found


def checked(x):
    """The numbers of an example: a copy, without what is missing."""
    if isinstance(x, np.ndarray):
        x = dict(enumerate(x.tolist()))
    if not hasattr(x, "items"):
        raise TypeError(f"NearestMean: an example is a mapping, got {x!r:.50}.")
    numbers = {name: value for name, value in x.items() if value is not None}
    for name, value in numbers.items():
        if isinstance(value, str) or not hasattr(value, "__float__"):
            raise TypeError(f"NearestMean: feature {name!r} is no number: {value!r:.50}.")
        if not abs(value) < 1e100:  # neither NaN nor so large that its square overflows
            raise ValueError(f"NearestMean: feature {name!r} is {value!r:.50}; it must be small.")
    return {name: float(value) for name, value in numbers.items()}


if __name__ == "__main__":
    check_learner(NearestMean)
    check_learner(NearestMean(prior=0.1))
    print("NearestMean keeps the contract.")
    print(prequential([NearestMean(), PAClassifier()], Waveform().limit(2000)))
