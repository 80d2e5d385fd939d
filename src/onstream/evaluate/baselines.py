"""Baselines: guesses that never look at the features, which a learner has to beat."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class MajorityClass:
    """Predict the commonest label so far, the earliest of them if several are; None at first.

    >>> MajorityClass().predict_learn_many(None, ["a", "b", "b", "b", "a"]).tolist()
    [None, 'a', 'a', 'b', 'b']
    """

    task = "labels"
    baseline = True

    def __init__(self) -> None:
        self.counts: dict[Any, float] = {}
        self.commonest: Any = None

    @property
    def memory_bytes(self) -> int:
        """One count of 8 bytes a label, and its name."""
        return 16 * len(self.counts)

    def predict_learn_many(self, X: Any, y: ArrayLike, w: ArrayLike | None = None) -> NDArray[Any]:
        """Predict each row before counting its label."""
        labels = np.asarray(y).tolist()
        weights = np.ones(len(labels)) if w is None else np.asarray(w, dtype=np.float64)
        guesses = np.empty(len(labels), dtype=object)
        counts, commonest = self.counts, self.commonest
        for i, (label, weight) in enumerate(zip(labels, weights.tolist(), strict=True)):
            guesses[i] = commonest
            if weight > 0.0:
                counts[label] = counts.get(label, 0.0) + weight
                if commonest is None or counts[label] >= counts[commonest]:
                    top = counts[label]  # a dict keeps the order of appearance
                    commonest = next(name for name, count in counts.items() if count == top)
        self.commonest = commonest
        return guesses

    def predict_one(self, x: Any) -> Any:
        """The commonest label so far."""
        return self.commonest

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Count a label."""
        self.predict_learn_many(None, [y], [w])

    def __repr__(self) -> str:
        return "MajorityClass()"


class LastValue:
    """Predict the number seen last; 0.0 before any.

    >>> LastValue().predict_learn_many(None, [3.0, 4.0]).tolist()
    [0.0, 3.0]
    """

    task = "numbers"
    baseline = True
    memory_bytes = 8  # one double

    def __init__(self) -> None:
        self.last = 0.0
        self.seen = 0

    def predict_learn_many(
        self, X: Any, y: ArrayLike, w: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Predict each row before looking at its target."""
        numbers = np.asarray(y, dtype=np.float64)
        if not len(numbers):
            return numbers
        predicted = np.concatenate([[self.last], numbers[:-1]])
        self.last = float(numbers[-1])
        self.seen += len(numbers)
        return predicted

    def predict_one(self, x: Any) -> float:
        """The number seen last."""
        return self.last

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Remember a number."""
        self.last = float(y)
        self.seen += 1

    def __repr__(self) -> str:
        return "LastValue()"
