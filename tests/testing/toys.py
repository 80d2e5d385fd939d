"""A learner, a transformer and a detector in plain Python that keep the contract."""

import math
from typing import Any

import numpy as np


def check(x: Any) -> dict[Any, float]:
    """A copy of the numbers of an example."""
    if isinstance(x, np.ndarray):
        x = dict(enumerate(x.tolist()))
    if not hasattr(x, "items"):
        raise TypeError("an example is a mapping")
    numbers = {str(k): v for k, v in x.items() if v is not None}
    for value in numbers.values():
        if not isinstance(value, (int, float)) or not abs(value) < 1e101:
            raise ValueError("a value is a small number")
    return {name: float(value) for name, value in numbers.items()}


class Toy:
    """What the toys share: parameters."""

    def __init__(self, *, prior: float = 1.0) -> None:
        self.prior = prior
        self.seen = 0

    @property
    def params(self) -> dict[str, Any]:
        return {"prior": self.prior}

    def clone(self) -> Any:
        return type(self)(**self.params)


class Voter(Toy):
    """Each label has a sum of the features of its examples; the largest product wins."""

    def __init__(self, *, prior: float = 1.0) -> None:
        super().__init__(prior=prior)
        self.sums: dict[Any, dict[str, float]] = {}

    @property
    def labels(self) -> list[Any]:
        return list(self.sums)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> Any:
        x, y = check(x), self.label(y)
        w = self.weight(w)
        if w == 0.0:
            return None
        self.seen += 1
        sums = self.sums.setdefault(y, {})
        for name, value in x.items():
            sums[name] = sums.get(name, 0.0) + w * value
        return None

    def label(self, y: Any) -> Any:
        if type(y) not in (bool, int, str):
            raise TypeError("a label is a bool, an int or a string")
        return y

    def weight(self, w: Any) -> float:
        if not isinstance(w, float) or not 0.0 <= w < math.inf:
            raise ValueError("a weight is at least 0")
        return w

    def score_one(self, x: Any) -> dict[Any, float]:
        x = check(x)
        return {
            label: self.prior + sum(sums.get(name, 0.0) * v / 1e6 for name, v in x.items())
            for label, sums in self.sums.items()
        }

    def predict_one(self, x: Any) -> Any:
        scores = self.score_one(x)
        return max(scores, key=scores.__getitem__) if scores else None

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        scores = {label: abs(math.tanh(s)) + 1e-9 for label, s in self.score_one(x).items()}
        total = sum(scores.values())
        return {label: s / total for label, s in scores.items()}

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        rows, labels = [check(x) for x in self.rows(X)], [self.label(one) for one in y]
        weights = [1.0] * len(rows) if w is None else [self.weight(one) for one in w]
        for row in list(zip(rows, labels, weights, strict=True)):
            self.learn_one(*row)

    def rows(self, X: Any) -> Any:
        if not isinstance(X, (list, np.ndarray)):
            raise TypeError("rows are a list or an array")
        return X

    def predict_many(self, X: Any) -> list[Any]:
        return [self.predict_one(x) for x in X]

    def predict_learn_many(self, X: Any, y: Any) -> list[Any]:
        rows, labels, told = [check(x) for x in X], [self.label(one) for one in y], []
        for x, label in list(zip(rows, labels, strict=True)):
            told.append(self.predict_one(x))
            self.learn_one(x, label)
        return told

    def merge(self, other: Any) -> None:
        if type(other) is not type(self) or other is self:
            raise TypeError("it cannot be merged")
        self.seen += other.seen
        for label, theirs in other.sums.items():
            sums = self.sums.setdefault(label, {})
            for name, value in theirs.items():
                sums[name] = sums.get(name, 0.0) + value


class Centre(Toy):
    """A transformer: features less their means."""

    def __init__(self, *, prior: float = 1.0) -> None:
        super().__init__(prior=prior)
        self.sums: dict[str, float] = {}

    def learn_one(self, x: Any) -> None:
        x = check(x)
        self.seen += 1
        for name, value in x.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def transform_one(self, x: Any) -> dict[str, float]:
        n = self.seen + self.prior
        return {name: value - self.sums.get(name, 0.0) / n for name, value in check(x).items()}

    def learn_many(self, X: Any) -> None:
        if not isinstance(X, list):
            raise TypeError("rows are a list")
        for x in [check(x) for x in X]:
            self.learn_one(x)

    def transform_many(self, X: Any) -> list[dict[str, float]]:
        return [self.transform_one(x) for x in X]


class Jump(Toy):
    """A detector: a value far from the one before."""

    def __init__(self, *, prior: float = 1.0) -> None:
        super().__init__(prior=prior)
        self.last = 0.0

    def update(self, value: Any) -> Any:
        if not isinstance(value, float) or not math.isfinite(value):
            raise ValueError("a value is a finite float")
        found, self.last = abs(value - self.last) >= self.prior, value
        self.seen += 1
        return found

    @property
    def before(self) -> float:
        return self.last

    def update_many(self, values: Any) -> list[int]:
        twin = self.clone()
        for value in values:
            twin.update(value)  # all or none
        return [i for i, value in enumerate(values) if self.update(value)]
