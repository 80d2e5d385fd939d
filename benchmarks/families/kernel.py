"""Kernel learners: rows of kernel values, on a full budget and without one."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side
from ..data import csr

TITLE = "Kernel learners"
GAMMA, BUDGET = 0.05, 500
ACCURACY = "prequential accuracy"


class Block(Contestant):
    """Predict, then learn, with a budget that is full from the start: ``predict_learn_many``."""

    def __init__(self, data: Data) -> None:
        self.X, self.y = data["X"], data["y"]
        self.warm = self.X[:BUDGET], self.y[:BUDGET]
        self.n = len(self.y)

    def setup(self) -> None:
        from onstream.kernel import RBF, LeastRecentPerceptron

        # A margin no score reaches makes every example a support: each of them costs a row and an
        # exchange, for both sides.
        kernel = RBF(gamma=GAMMA)
        self.model = LeastRecentPerceptron(kernel=kernel, budget=BUDGET, beta=1e9)
        self.model.learn_many(*self.warm)

    def run(self) -> None:
        self.predicted = self.model.predict_learn_many(self.X, self.y)

    def scores(self) -> dict[str, float]:
        return {ACCURACY: float(np.mean(self.predicted == self.y))}


class Late(Block):
    """The same once a million examples have gone by: the cost must not grow with the stream."""

    def setup(self) -> None:
        super().setup()
        while self.model.seen < 1_000_000:
            self.model.learn_many(self.X, self.y)


class Straight(Block):
    """The same learner as one would write it in NumPy."""

    def setup(self) -> None:
        self.S, self.a = self.warm[0].copy(), np.where(self.warm[1], 1.0, -1.0)

    def run(self) -> None:
        S, a, X, gamma, oldest = self.S, self.a, self.X, GAMMA, 0
        self.predicted = np.zeros(self.n, dtype=bool)
        for i, y in enumerate(self.y.tolist()):
            x = X[i]
            f = np.exp(-gamma * ((S - x) ** 2).sum(axis=1)) @ a
            self.predicted[i] = f >= 0.0
            S[oldest] = x
            a[oldest] = 1.0 if y else -1.0
            oldest = (oldest + 1) % BUDGET


class Arithmetic(Block):
    """Scores of all rows against fixed supports, many rows at a time: what NumPy allows at best."""

    chunk = 100

    def setup(self) -> None:
        self.S, self.a = self.warm[0], np.where(self.warm[1], 1.0, -1.0)

    def run(self) -> None:
        S, a = self.S[None], self.a
        self.predicted = np.zeros(self.n, dtype=bool)
        for start in range(0, self.n, self.chunk):
            x = self.X[start : start + self.chunk, None]
            f = np.exp(-GAMMA * ((S - x) ** 2).sum(axis=2)) @ a
            self.predicted[start : start + self.chunk] = f >= 0.0

    def scores(self) -> dict[str, float]:
        return {}


class Census(Contestant):
    """The kernel perceptron without a budget over the rows of a9a."""

    rows = 10_000

    def __init__(self, data: Data) -> None:
        train = csr(data, "train")
        self.y = data["train_y"][: self.rows]
        stop = int(train.indptr[self.rows])
        self.X = type(train)(
            train.data[:stop],
            train.indices[:stop],
            train.indptr[: self.rows + 1],
            (self.rows, train.shape[1]),
        )
        self.n = self.rows

    def setup(self) -> None:
        from onstream.kernel import RBF, KernelPerceptron

        self.model = KernelPerceptron(kernel=RBF(gamma=0.01))

    def run(self) -> None:
        self.predicted = self.model.predict_learn_many(self.X, self.y)

    def scores(self) -> dict[str, float]:
        return {ACCURACY: float(np.mean(self.predicted == self.y))}


class CensusRows(Census):
    """The same in NumPy, as LIBSVM does it: dense supports, a dot product and norms per row."""

    def setup(self) -> None:
        self.S = np.zeros((self.rows, self.X.shape[1]))
        self.a, self.norms = np.zeros(self.rows), np.zeros(self.rows)

    def run(self) -> None:
        S, a, norms, X, k = self.S, self.a, self.norms, self.X, 0
        self.predicted = np.zeros(self.n, dtype=self.y.dtype)
        for i, y in enumerate(self.y.tolist()):
            entries = slice(int(X.indptr[i]), int(X.indptr[i + 1]))
            x = np.zeros(X.shape[1])
            x[X.indices[entries]] = X.data[entries]
            norm = float(x @ x)
            f = np.exp(-0.01 * (norms[:k] - 2.0 * (S[:k] @ x) + norm)) @ a[:k]
            self.predicted[i] = 1 if f >= 0.0 else -1
            if y * f <= 0.0:
                S[k], a[k], norms[k] = x, y, norm
                k += 1


ROWS = (
    Row(
        f"RBF, 20 features, budget {BUDGET} full, an exchange for every example",
        "normal20",
        Side(OURS, "LeastRecentPerceptron predict_learn_many", Block),
        (
            Rival(Side(OURS, "NumPy, straightforward", Straight), target=10.0),
            Rival(Side(OURS, "NumPy, scores only, 100 rows at a time", Arithmetic), target=1 / 3),
        ),
    ),
    Row(
        f"RBF, 20 features, budget {BUDGET} full, after a million examples",
        "normal20",
        Side(OURS, "LeastRecentPerceptron predict_learn_many", Late),
        (Rival(Side(OURS, "the same at the beginning", Block), target=0.8),),
    ),
    Row(
        "RBF, first 10,000 rows of a9a, no budget",
        "a9a",
        Side(OURS, "KernelPerceptron predict_learn_many", partial(Census)),
        (Rival(Side(OURS, "NumPy, a row of kernel values at a time", CensusRows), target=5.0),),
    ),
)

IMPORTS = (Import(OURS, "from onstream.kernel import KernelPerceptron", limit=0.3),)
