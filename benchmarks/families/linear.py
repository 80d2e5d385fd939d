"""Linear learners: mappings one by one, dense blocks, sparse blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker
from ..data import csr

TITLE = "Linear learners"
PREQUENTIAL, HELD_OUT, RESUBSTITUTION = ("prequential accuracy", "test accuracy", "final accuracy")
R2 = "prequential R²"
Make = Callable[[], Any]


class Mappings(Contestant):
    """Predict, then learn, one mapping at a time: the same loop for onstream and River.

    With fresh keys no string was ever seen before, as in rows parsed from JSON: a string keeps
    its hash once computed, so the rows are built anew for every run.
    """

    def __init__(self, data: Data, *, make: Make, fresh: bool) -> None:
        self.X: list[list[float]] = data["X"].tolist()
        self.y: list[bool] = data["y"].tolist()
        self.n = len(self.y)
        self.make, self.fresh = make, fresh
        self.names = [name.encode() for name in data["names"].tolist()]
        shared = [name.decode() for name in self.names]
        self.rows = [dict(zip(shared, x, strict=True)) for x in self.X]

    def setup(self) -> None:
        self.model = self.make()
        if self.fresh:
            names = self.names
            self.rows = [{k.decode(): v for k, v in zip(names, x, strict=True)} for x in self.X]

    def run(self) -> None:
        predict, learn = self.model.predict_one, self.model.learn_one
        for x, y in zip(self.rows, self.y, strict=True):
            predict(x)
            learn(x, y)

    def scores(self) -> dict[str, float]:
        model, hits = self.make(), 0
        for x, y in zip(self.rows, self.y, strict=True):
            hits += model.predict_one(x) == y
            model.learn_one(x, y)
        return {PREQUENTIAL: hits / self.n}


class Numbers(Mappings):
    """The same with a number to be predicted."""

    def scores(self) -> dict[str, float]:
        model, told = self.make(), []
        for x, y in zip(self.rows, self.y, strict=True):
            told.append(model.predict_one(x))
            model.learn_one(x, y)
        y = np.array(self.y)
        return {R2: 1.0 - float(np.mean((np.array(told) - y) ** 2) / np.var(y))}


class Dense(Contestant):
    """Test-then-train over a block: the call ``predict_learn_many``."""

    def __init__(self, data: Data, *, make: Make) -> None:
        self.X, self.y, self.make = data["X"], data["y"], make
        self.n = len(self.y)

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        self.predicted = self.model.predict_learn_many(self.X, self.y)

    def scores(self) -> dict[str, float]:
        return {
            PREQUENTIAL: accuracy(self.predicted, self.y),
            RESUBSTITUTION: accuracy(self.model.predict_many(self.X), self.y),
        }


class DenseChunks(Dense):
    """The same with scikit-learn: predict a chunk, then learn it. The first can only be learned."""

    chunk = 1000

    def run(self) -> None:
        X, y, chunk = self.X, self.y, self.chunk
        predict, learn = self.model.predict, self.model.partial_fit
        self.predicted = np.zeros_like(y)
        learn(X[:chunk], y[:chunk], classes=[0, 1])
        for start in range(chunk, self.n, chunk):
            stop = start + chunk
            self.predicted[start:stop] = predict(X[start:stop])
            learn(X[start:stop], y[start:stop])

    def scores(self) -> dict[str, float]:
        return {PREQUENTIAL: accuracy(self.predicted, self.y)}


class DenseWhole(Dense):
    """scikit-learn learning the block in one call, without predicting."""

    def run(self) -> None:
        self.model.partial_fit(self.X, self.y, classes=[0, 1])

    def scores(self) -> dict[str, float]:
        return {RESUBSTITUTION: accuracy(self.model.predict(self.X), self.y)}


class Digits(Contestant):
    """Learn a dense block of many classes in one call; then the test part is predicted."""

    def __init__(self, data: Data, *, eta: float) -> None:
        self.X, self.y, self.n, self.eta = data["X"], data["y"], len(data["y"]), eta
        self.test, self.test_y = data["test_X"], data["test_y"]
        self.classes = np.unique(self.y)

    def setup(self) -> None:
        make = maker(
            "onstream.linear:SoftmaxRegression", eta=self.eta, labels=self.classes.tolist()
        )
        self.model = make()

    def run(self) -> None:
        self.model.learn_many(self.X, self.y)

    def scores(self) -> dict[str, float]:
        return {HELD_OUT: accuracy(self.model.predict_many(self.test), self.test_y)}


class DigitsSGD(Digits):
    """scikit-learn: one logistic regression for each class against the rest."""

    def setup(self) -> None:
        self.model = sgd(self.eta)()

    def run(self) -> None:
        self.model.partial_fit(self.X, self.y, classes=self.classes)

    def scores(self) -> dict[str, float]:
        return {HELD_OUT: accuracy(self.model.predict(self.test), self.test_y)}


class Product(Contestant):
    """Scores of the block alone: what arithmetic and memory allow at best."""

    def __init__(self, data: Data) -> None:
        self.X, self.n = data["X"], len(data["y"])
        self.w = np.linspace(-1.0, 1.0, self.X.shape[1])

    def run(self) -> None:
        self.result = self.X @ self.w


class Sparse(Contestant):
    """Learn a CSR block in one call, labels declared beforehand, as the rival needs them.

    Neither side has an intercept: scikit-learn slows that of sparse rows down a hundredfold, ours
    has the rate of the weights, and the accuracies would tell of this alone.
    """

    def __init__(self, data: Data, *, eta: float) -> None:
        self.X, self.test = self.matrix(data, "train"), self.matrix(data, "test")
        self.y, self.test_y = data["train_y"], data["test_y"]
        self.classes = np.unique(np.concatenate([self.y, self.test_y]))
        self.n, self.eta = len(self.y), eta

    def matrix(self, data: Data, part: str) -> Any:
        return csr(data, part)

    def setup(self) -> None:
        self.model = logistic(self.eta, labels=self.classes.tolist(), intercept=False)()

    def run(self) -> None:
        self.model.learn_many(self.X, self.y)

    def scores(self) -> dict[str, float]:
        return {HELD_OUT: accuracy(self.model.predict_many(self.test), self.test_y)}


class SparseSGD(Sparse):
    """The same with scikit-learn."""

    def matrix(self, data: Data, part: str) -> Any:
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

        m = csr(data, part)
        return csr_matrix((m.data, m.indices, m.indptr), shape=m.shape)

    def setup(self) -> None:
        self.model = sgd(self.eta, fit_intercept=False)()

    def run(self) -> None:
        self.model.partial_fit(self.X, self.y, classes=self.classes)

    def scores(self) -> dict[str, float]:
        return {HELD_OUT: accuracy(self.model.predict(self.test), self.test_y)}


class SparseFTRL(Sparse):
    """FTRL-proximal over a CSR block, several times."""

    passes = 5  # so that the start of the other side does not count

    def __init__(self, data: Data) -> None:
        super().__init__(data, eta=0.1)

    def setup(self) -> None:
        make = maker("onstream.linear:FTRLProximal", alpha=0.1, intercept=False, labels=[-1, 1])
        self.model = make()

    def run(self) -> None:
        for _ in range(self.passes):
            self.model.learn_many(self.X, self.y)


class CachedFTRL(SparseFTRL):
    """Vowpal Wabbit's --ftrl over its cache file, which the constructor writes beforehand."""

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        import tempfile

        self.folder = tempfile.TemporaryDirectory(prefix="onstream-vw-")
        self.lines(self.X, self.y, "train.txt")
        self.learn()

    def lines(self, X: Any, y: np.ndarray, name: str) -> None:
        with open(f"{self.folder.name}/{name}", "w", encoding="ascii") as file:
            for i, label in enumerate(y.tolist()):
                at = slice(X.indptr[i], X.indptr[i + 1])
                pairs = zip(X.indices[at].tolist(), X.data[at].tolist(), strict=True)
                file.write(f"{label} | {' '.join(f'{j}:{v!r}' for j, v in pairs)}\n")

    def learn(self) -> Any:
        from vowpalwabbit import Workspace  # type: ignore[import-not-found]

        folder = self.folder.name
        return Workspace(
            f"--ftrl --ftrl_alpha 0.1 --ftrl_beta 1 --loss_function logistic --noconstant -b 18 "
            f"-d {folder}/train.txt --cache_file {folder}/cache --passes {self.passes} "
            f"--holdout_off --quiet"
        )

    def setup(self) -> None:
        self.model = None

    def run(self) -> None:
        self.learned = self.learn()

    def scores(self) -> dict[str, float]:
        scores = []
        for i in range(len(self.test_y)):
            at = slice(self.test.indptr[i], self.test.indptr[i + 1])
            pairs = zip(self.test.indices[at].tolist(), self.test.data[at].tolist(), strict=True)
            scores.append(self.learned.predict("| " + " ".join(f"{j}:{v!r}" for j, v in pairs)))
        return {HELD_OUT: accuracy(np.where(np.array(scores) >= 0.0, 1, -1), self.test_y)}


def logistic(eta: float, **params: Any) -> Make:
    return maker("onstream.linear:LogisticRegression", eta=eta, **params)


def sgd(eta: float, **params: Any) -> Make:
    """scikit-learn's logistic regression by SGD, set to do the same arithmetic as ours."""
    return maker(
        "sklearn.linear_model:SGDClassifier",
        loss="log_loss",
        penalty=None,
        learning_rate="constant",
        eta0=eta,
        shuffle=False,
        **params,
    )


def accuracy(predicted: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(predicted == y))


def mappings(name: str, ours: Make, river: Make, *, fresh: bool) -> Row:
    return Row(
        f"mappings, {'fresh' if fresh else 'shared'} keys, {name}",
        "electricity",
        Side(OURS, f"onstream {name}", partial(Mappings, make=ours, fresh=fresh)),
        (
            Rival(
                Side("river", f"river {name}", partial(Mappings, make=river, fresh=fresh)),
                target=6.0 if fresh else 12.0,
            ),
        ),
    )


def numbers(name: str, ours: Make, river: Make) -> Row:
    return Row(
        f"mappings, shared keys, {name}",
        "bike_sharing",
        Side(OURS, f"onstream {name}", partial(Numbers, make=ours, fresh=False)),
        (
            Rival(
                Side("river", f"river {name}", partial(Numbers, make=river, fresh=False)),
                target=12.0,
            ),
        ),
    )


def digits(eta: float) -> Row:
    return Row(
        "dense MNIST, softmax regression",
        "mnist",
        Side(OURS, "learn_many", partial(Digits, eta=eta)),
        (
            Rival(
                Side("scikit-learn", "SGDClassifier one-vs-all", partial(DigitsSGD, eta=eta)),
                target=3.0,
            ),
        ),
    )


def dense(eta: float) -> Row:
    ours = partial(Dense, make=logistic(eta, labels=[0, 1]))
    rivals = (
        ("SGDClassifier predict + partial_fit, chunks of 1000", DenseChunks, 10.0),
        ("SGDClassifier partial_fit, one chunk, no predictions", DenseWhole, 3.0),
    )
    return Row(
        "dense covtype binary, logistic regression",
        "covtype_binary",
        Side(OURS, "predict_learn_many", ours),
        (
            *(
                Rival(Side("scikit-learn", name, partial(build, make=sgd(eta))), target)
                for name, build, target in rivals
            ),
            Rival(Side("scikit-learn", "NumPy X @ w", Product), target=0.2),
        ),
    )


def sparse(name: str, *, eta: float) -> Row:
    return Row(
        f"CSR {name}, logistic regression",
        name,
        Side(OURS, "learn_many", partial(Sparse, eta=eta)),
        (
            Rival(
                Side("scikit-learn", "SGDClassifier partial_fit", partial(SparseSGD, eta=eta)),
                target=3.0,
            ),
        ),
    )


def ftrl() -> Row:
    return Row(
        "CSR news20 in two classes, FTRL-proximal, 5 passes",
        "news20_binary",
        Side(OURS, "FTRLProximal learn_many", SparseFTRL),
        (Rival(Side("vw", "vw --ftrl from its cache file", CachedFTRL), target=2.0),),
    )


def second_order() -> tuple[Row, Row]:
    """AROW beside our own PA-I: the price of a variance for each weight."""
    arow = maker("onstream.linear:AROW")
    pa = maker("onstream.linear:PAClassifier", variant="PA-I")
    return (
        Row(
            "mappings, shared keys, AROW beside PA-I",
            "electricity",
            Side(OURS, "onstream AROW", partial(Mappings, make=arow, fresh=False)),
            (
                Rival(
                    Side(OURS, "onstream PA-I", partial(Mappings, make=pa, fresh=False)), target=0.5
                ),
            ),
        ),
        Row(
            "dense covtype binary, AROW beside PA-I",
            "covtype_binary",
            Side(OURS, "AROW predict_learn_many", partial(Dense, make=arow)),
            (Rival(Side(OURS, "PA-I predict_learn_many", partial(Dense, make=pa)), target=0.5),),
        ),
    )


# The same step on both sides, C too; River's optimizer has 0.01 by default.
LEARNERS = (
    ("LogisticRegression", logistic(0.01), maker("river.linear_model:LogisticRegression")),
    ("Perceptron", maker("onstream.linear:Perceptron"), maker("river.linear_model:Perceptron")),
    (
        "PAClassifier",
        maker("onstream.linear:PAClassifier", variant="PA-I", C=1.0),
        maker("river.linear_model:PAClassifier", C=1.0, mode=1),
    ),
)

ROWS = (
    *(mappings(*learner, fresh=False) for learner in LEARNERS),
    *(mappings(*learner, fresh=True) for learner in LEARNERS),
    numbers(
        "PARegressor",
        maker("onstream.linear:PARegressor", variant="PA-I", C=0.01, epsilon=0.1),
        maker("river.linear_model:PARegressor", C=0.01, mode=1, eps=0.1),
    ),
    dense(eta=0.01),
    digits(eta=0.01),
    sparse("sector", eta=10.0),
    sparse("news20", eta=1.0),
    sparse("a9a", eta=0.03),
    ftrl(),
    *second_order(),
)

IMPORTS = (
    Import(OURS, "import onstream", limit=0.3),
    Import(OURS, "from onstream.linear import LogisticRegression"),
    Import("river", "from river.linear_model import LogisticRegression"),
    Import("scikit-learn", "from sklearn.linear_model import SGDClassifier"),
)
