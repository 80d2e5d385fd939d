"""Corners: learners, kinds of input and shapes off the beaten track, beside whoever can do the job.

Where no peer can, the rival is onstream itself with mappings: no kind of input should cost more
than three times what they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker
from ..data import Csr, csr
from .linear import PREQUENTIAL, accuracy, logistic, sgd

TITLE = "Corners"
Make = Callable[[], Any]
FRAMES = "frames"  # scikit-learn and River with pandas


class Blocks(Contestant):
    """Predict, then learn, block after block of rows; `convert` makes what is passed."""

    first = 4000  # rows

    def __init__(
        self, data: Data, *, make: Make, rows: int, convert: Callable[[Data, int], Any]
    ) -> None:
        self.n = min(self.first, len(data["y"]), 400 * rows)
        X, self.y = convert(data, self.n), data["y"][: self.n]
        cut = X.iloc.__getitem__ if hasattr(X, "iloc") else X.__getitem__
        self.blocks = [cut(slice(at, at + rows)) for at in range(0, self.n, rows)]
        self.targets = [self.y[at : at + rows] for at in range(0, self.n, rows)]
        self.make = make

    def setup(self) -> None:
        self.model = self.make()
        self.predicted: list[Any] = []

    def run(self) -> None:
        step = self.model.predict_learn_many
        for X, y in zip(self.blocks, self.targets, strict=True):
            self.predicted.append(step(X, y))

    def scores(self) -> dict[str, float]:
        return {PREQUENTIAL: accuracy(np.concatenate(self.predicted), self.y)}


class PeerBlocks(Blocks):
    """The same by predict and partial_fit of scikit-learn; the first block can only be learned."""

    def run(self) -> None:
        classes = np.unique(self.y)
        predict, learn = self.model.predict, self.model.partial_fit
        learn(self.blocks[0], self.targets[0], classes=classes)
        self.predicted.append(np.zeros(len(self.targets[0]), dtype=self.y.dtype))
        for X, y in zip(self.blocks[1:], self.targets[1:], strict=True):
            self.predicted.append(predict(X))
            learn(X, y)


class RiverBlocks(Blocks):
    """The same by predict_many and learn_many of River."""

    def run(self) -> None:
        import pandas as pd  # type: ignore[import-untyped]

        predict, learn = self.model.predict_many, self.model.learn_many
        for X, y in zip(self.blocks, self.targets, strict=True):
            told = predict(X)
            self.predicted.append(told.to_numpy() if len(told) else np.zeros(len(y), dtype=y.dtype))
            learn(X, pd.Series(y, index=X.index))


class Scaled(PeerBlocks):
    """scikit-learn: a transformer that learns, then transforms, before a learner."""

    def setup(self) -> None:
        self.step, self.model = self.make()
        self.predicted = []
        if not hasattr(self.step, "partial_fit"):
            self.step.fit(self.blocks[0])

    def run(self) -> None:
        classes = np.unique(self.y)
        learn_step = getattr(self.step, "partial_fit", lambda X: None)
        for at, (X, y) in enumerate(zip(self.blocks, self.targets, strict=True)):
            learn_step(X)
            X = self.step.transform(X)
            known = at > 0
            self.predicted.append(self.model.predict(X) if known else np.zeros_like(y))
            self.model.partial_fit(X, y, classes=classes)


class OneByOne(Contestant):
    """Predict, then learn, mappings one by one: any learner of ours or of River."""

    def __init__(self, data: Data, *, make: Make, convert: Callable[[Data, int], Any]) -> None:
        self.rows = convert(data, 2000)
        self.n = len(self.rows)
        self.y, self.make = data["y" if "y" in data else "train_y"][: self.n].tolist(), make

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        predict, learn = self.model.predict_one, self.model.learn_one
        for x, y in zip(self.rows, self.y, strict=True):
            predict(x)
            learn(x, y)


class SparseBlocks(Contestant):
    """Predict, then learn, blocks of a CSR matrix."""

    def __init__(self, data: Data, *, make: Make, rows: int = 100, first: int = 1000) -> None:
        X = csr(data, "train")
        self.y = data["train_y"][:first]
        self.n, self.make = len(self.y), make
        self.blocks = [self.cut(X, at, at + rows) for at in range(0, self.n, rows)]
        self.targets = [self.y[at : at + rows] for at in range(0, self.n, rows)]
        self.classes = np.unique(data["train_y"])

    def cut(self, X: Csr, start: int, stop: int) -> Any:
        at = slice(X.indptr[start], X.indptr[stop])
        pointers = X.indptr[start : stop + 1] - X.indptr[start]
        return Csr(X.data[at], X.indices[at], pointers, (stop - start, X.shape[1]))

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        for X, y in zip(self.blocks, self.targets, strict=True):
            self.model.predict_learn_many(X, y)


class SparsePeer(SparseBlocks):
    """The same with scikit-learn."""

    def cut(self, X: Csr, start: int, stop: int) -> Any:
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

        m = super().cut(X, start, stop)
        return csr_matrix((m.data, m.indices, m.indptr), shape=m.shape)

    def run(self) -> None:
        for at, (X, y) in enumerate(zip(self.blocks, self.targets, strict=True)):
            if at:
                self.model.predict(X)
            self.model.partial_fit(X, y, classes=self.classes)


class Questions(Contestant):
    """Learn 10,000 rows of 784 numbers, then answer for 500."""

    n = 500

    def __init__(self, data: Data, *, make: Make) -> None:
        self.X, self.y, self.asked = data["X"][:10_000], data["y"][:10_000], data["test_X"][:500]
        self.right, self.make = data["test_y"][:500], make

    def setup(self) -> None:
        self.model = self.make()
        getattr(self.model, "learn_many", getattr(self.model, "fit", None))(self.X, self.y)

    def run(self) -> None:
        ask = getattr(self.model, "predict_many", getattr(self.model, "predict", None))
        self.told = ask(self.asked)

    def scores(self) -> dict[str, float]:
        return {PREQUENTIAL: accuracy(self.told, self.right)}


class Values(Contestant):
    """A statistic that takes values one by one, and is asked after each."""

    def __init__(self, data: Data, *, make: Make) -> None:
        self.values, self.make = data["X"][:, 0].tolist(), make
        self.n = len(self.values)

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        update = self.model.update
        for v in self.values:
            update(v)


# -- kinds of input --------------------------------------------------------------------------------


def array(data: Data, n: int) -> Any:
    return data["X"][:n]


def frame(data: Data, n: int) -> Any:
    import pandas as pd

    return pd.DataFrame(data["X"][:n], columns=[f"c{i}" for i in range(data["X"].shape[1])])


def mappings(data: Data, n: int) -> list[dict[str, float]]:
    names = [f"c{i}" for i in range(data["X"].shape[1])]
    return [dict(zip(names, row, strict=True)) for row in data["X"][:n].tolist()]


def text_frame(data: Data, n: int, *, dtype: str = "str") -> Any:
    """The same numbers, and 4 columns of text."""
    import pandas as pd

    X = pd.DataFrame(data["X"][:n, :17], columns=data["names"][:17])
    for i in range(17, 21):
        X[data["names"][i]] = pd.Series(
            data[f"values{i}"][data["X"][:n, i].astype(int)], dtype="object"
        ).astype("object" if dtype == "str" else dtype)
    return X


def text_mappings(data: Data, n: int) -> list[dict[str, Any]]:
    return text_frame(data, n).to_dict("records")  # type: ignore[no-any-return]


def sparse_mappings(data: Data, n: int) -> list[dict[str, float]]:
    X = csr(data, "train")
    n = min(n, 500)
    found = []
    for i in range(n):
        at = slice(X.indptr[i], X.indptr[i + 1])
        ids = [str(j) for j in X.indices[at].tolist()]
        found.append(dict(zip(ids, X.data[at].tolist(), strict=True)))
    return found


# -- makers ----------------------------------------------------------------------------------------


def standard_then(kind: str) -> Make:
    def make() -> Any:
        from onstream import features, linear

        if kind == "scaler":
            return features.StandardScaler() | linear.LogisticRegression(eta=0.01)
        fourier = features.RandomFourierFeatures(n_components=100, gamma=0.01)
        return fourier | linear.LogisticRegression(eta=0.1)

    return make


def sklearn_then(kind: str) -> Make:
    def make() -> Any:
        from sklearn.kernel_approximation import RBFSampler  # type: ignore[import-untyped]
        from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

        if kind == "scaler":
            return StandardScaler(), sgd(0.01)()
        return RBFSampler(n_components=200, gamma=0.01, random_state=0), sgd(0.1)()

    return make


def ours(path: str, **params: Any) -> Make:
    return maker(f"onstream.{path}", **params)


def sklearn_sgd(**params: Any) -> Make:
    return maker(
        "sklearn.linear_model:SGDClassifier",
        **{
            "loss": "log_loss",
            "learning_rate": "constant",
            "eta0": 0.01,
            "shuffle": False,
            **params,
        },
    )


def block_row(
    name: str, data: str, mine: Make, rows: int, mine_as: Any, *rivals: tuple[str, str, Any]
) -> Row:
    """A row of blocks; a rival is (peer, name, what builds it)."""
    return Row(
        name,
        data,
        Side(OURS, "predict_learn_many", partial(Blocks, make=mine, rows=rows, convert=mine_as)),
        tuple(Rival(Side(peer, title, build), target=1.0) for peer, title, build in rivals),
    )


def frame_rows(rows: int) -> Row:
    return block_row(
        f"pandas, 100 numbers, logistic, blocks of {rows}",
        "normal100",
        logistic(0.01),
        rows,
        frame,
        (
            FRAMES,
            "scikit-learn SGDClassifier",
            partial(PeerBlocks, make=sgd(0.01), rows=rows, convert=frame),
        ),
        (
            FRAMES,
            "River LogisticRegression",
            partial(
                RiverBlocks,
                make=maker("river.linear_model:LogisticRegression"),
                rows=rows,
                convert=frame,
            ),
        ),
    )


def twin(name: str, learner: str, make: Make, rows: int, convert: Any, **own: Any) -> Row:
    """A kind of input beside mappings of the same rows: at most 3 times slower."""
    data = "mixed21" if "text" in name else "normal100"
    dicts = text_mappings if "text" in name else mappings
    return Row(
        f"{name}, {learner}, blocks of {rows}",
        data,
        Side(OURS, "predict_learn_many", partial(Blocks, make=make, rows=rows, convert=convert)),
        (
            Rival(
                Side(OURS, "mappings one by one", partial(OneByOne, make=make, convert=dicts)),
                target=1 / 3,
            ),
        ),
    )


def dense1000(name: str, mine: Make, peer: Make, build: Any = PeerBlocks) -> Row:
    return block_row(
        f"1,000 numbers, {name}, blocks of 1000",
        "normal1000",
        mine,
        1000,
        array,
        ("scikit-learn", "scikit-learn", partial(build, make=peer, rows=1000, convert=array)),
    )


def text_learners() -> list[tuple[str, Make]]:
    return [
        ("logistic", logistic(0.01)),
        ("GaussianNB", ours("bayes:GaussianNB")),
        ("Hoeffding tree", ours("tree:HoeffdingTreeClassifier")),
        ("kNN", ours("neighbors:KNNClassifier")),
    ]


ROWS = (
    *(frame_rows(n) for n in (1, 10, 100, 1000)),
    *(twin("array, 100 numbers", "logistic", logistic(0.01), n, array) for n in (1, 10, 100)),
    *(
        twin(f"pandas text ({dtype})", learner, make, n, partial(text_frame, dtype=dtype))
        for dtype in ("str", "category", "string")
        for learner, make in text_learners()
        for n in (10, 1000)
        if dtype == "str" or learner == "logistic"
    ),
    dense1000(
        "averaged SGD", ours("linear:SGDClassifier", average=True), sklearn_sgd(average=True)
    ),
    dense1000("L1", ours("linear:SGDClassifier", l1=1e-4), sklearn_sgd(penalty="l1", alpha=1e-4)),
    dense1000("AdaGrad", ours("linear:SGDClassifier", schedule="adagrad"), sklearn_sgd()),
    dense1000("scaler | logistic", standard_then("scaler"), sklearn_then("scaler"), Scaled),
    dense1000("Fourier | logistic", standard_then("fourier"), sklearn_then("fourier"), Scaled),
    dense1000(
        "MultinomialNB of counts",
        ours("bayes:MultinomialNB"),
        maker("sklearn.naive_bayes:MultinomialNB"),
    ),
    *(
        Row(
            f"sparse news20 (62,061 columns), {name}, blocks of 100",
            "news20",
            Side(OURS, "predict_learn_many", partial(SparseBlocks, make=mine)),
            (Rival(Side("scikit-learn", "scikit-learn", partial(SparsePeer, make=peer)), 1.0),),
        )
        for name, mine, peer in (
            (
                "BernoulliNB",
                ours("bayes:BernoulliNB"),
                maker("sklearn.naive_bayes:BernoulliNB"),
            ),
            (
                "MultinomialNB",
                ours("bayes:MultinomialNB"),
                maker("sklearn.naive_bayes:MultinomialNB"),
            ),
            ("logistic", logistic(0.1), sgd(0.1)),
        )
    ),
    *(
        Row(
            f"sparse news20, {name}, mappings one by one",
            "news20",
            Side(OURS, "onstream", partial(OneByOne, make=mine, convert=sparse_mappings)),
            (
                Rival(
                    Side("river", "River", partial(OneByOne, make=peer, convert=sparse_mappings)),
                    1.0,
                ),
            ),
        )
        for name, mine, peer in (
            ("GaussianNB", ours("bayes:GaussianNB"), maker("river.naive_bayes:GaussianNB")),
            (
                "Hoeffding tree",
                ours("tree:HoeffdingTreeClassifier"),
                maker("river.tree:HoeffdingTreeClassifier"),
            ),
        )
    ),
    Row(
        "kNN, 10,000 rows of 784 numbers, answers for 500",
        "mnist",
        Side(
            OURS,
            "predict_many",
            partial(Questions, make=ours("neighbors:KNNClassifier", window=10_000, scale=None)),
        ),
        (
            Rival(
                Side(
                    "scikit-learn",
                    "KNeighborsClassifier, brute",
                    partial(
                        Questions,
                        make=maker("sklearn.neighbors:KNeighborsClassifier", algorithm="brute"),
                    ),
                ),
                1.0,
            ),
        ),
    ),
    *(
        Row(
            f"statistic one by one, {name}",
            "normal20",
            Side(OURS, "onstream", partial(Values, make=mine)),
            (Rival(Side("river", "River", partial(Values, make=peer)), 1.0),),
        )
        for name, mine, peer in (
            ("Mean", ours("stats:Mean"), maker("river.stats:Mean")),
            ("Max", ours("stats:Max"), maker("river.stats:Max")),
            ("Sum", ours("stats:Sum"), maker("river.stats:Sum")),
            ("EWMA", ours("stats:EWMA"), maker("river.stats:EWMean")),
        )
    ),
)

IMPORTS: tuple[Import, ...] = ()
