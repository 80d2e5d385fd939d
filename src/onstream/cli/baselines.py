"""What a learner has to beat: the guesses of somebody who never looks at the features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class MajorityClass:
    """Predict the commoner of the labels 0 and 1 so far; 0 when they are even."""

    memory_bytes = 16  # two counts of 8 bytes

    def __init__(self) -> None:
        self.counts = np.zeros(2, dtype=np.int64)

    def predict_learn_many(self, X: Any, y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Predict each row before counting its label."""
        ones = self.counts[1] + np.cumsum(y) - y  # before each row
        rows = self.counts.sum() + np.arange(len(y))
        self.counts += np.bincount(y, minlength=2)
        return np.asarray(2 * ones > rows, dtype=np.int64)


class LastValue:
    """Predict the target seen last; 0 before any."""

    memory_bytes = 8  # one double

    def __init__(self) -> None:
        self.last = 0.0

    def predict_learn_many(self, X: Any, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predict each row before looking at its target."""
        predicted = np.concatenate([[self.last], y[:-1]])
        self.last = float(y[-1])
        return predicted
