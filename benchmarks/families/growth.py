"""Growth: what an example costs as the stream, its features, its labels or the budget grow.

A row's name is "axis n, learner"; `pictures.growth` draws the rows of an axis as one panel.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker

TITLE = "Growth of cost"
Make = Callable[[], Any]
SMALL = "normal20"  # every row makes its own numbers


class Step(Contestant):
    """Predict, then learn, some examples: mappings, one by one, by a model that has a past."""

    def __init__(
        self,
        data: Data,
        *,
        make: Make,
        examples: int,
        past: int = 0,
        features: int = 10,
        labels: int = 2,
    ) -> None:
        self.n = examples
        X, y = made(max(past, labels) + examples, features, labels)
        rows = [dict(zip(map(str, range(features)), x, strict=True)) for x in X.tolist()]
        targets = y.tolist()
        self.rows, self.y = rows[-examples:], targets[-examples:]
        self.trained = make()
        for x, label in zip(rows[:-examples], targets, strict=False):
            self.trained.learn_one(x, label)

    def setup(self) -> None:
        self.model = copy.deepcopy(self.trained)

    def run(self) -> None:
        predict, learn = self.model.predict_one, self.model.learn_one
        for x, y in zip(self.rows, self.y, strict=True):
            predict(x)
            learn(x, y)


class Blocks(Contestant):
    """Predict, then learn, blocks of 100 rows, all labels declared."""

    features = 20

    def __init__(self, data: Data, *, make: Any, labels: int) -> None:
        self.n, self.labels, self.make = 1000, labels, make
        self.X, self.y = made(self.n, self.features, labels)

    def setup(self) -> None:
        self.model = self.make(labels=list(range(self.labels)))()

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.predict_learn_many(self.X[at : at + 100], self.y[at : at + 100])


class PeerBlocks(Blocks):
    """The same by predict and partial_fit of scikit-learn, after one row of every label."""

    def setup(self) -> None:
        self.model, classes = self.make(), np.arange(self.labels)
        X = np.zeros((self.labels, self.features))
        self.model.partial_fit(X, classes, classes=classes)

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.predict(self.X[at : at + 100])
            self.model.partial_fit(self.X[at : at + 100], self.y[at : at + 100])


def made(rows: int, features: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal numbers around the centre of their label; each of the first labels comes once."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, labels, rows)
    y[:labels] = np.arange(labels)
    centres = 2.0 * rng.normal(size=(labels, min(features, 20)))
    X = rng.normal(size=(rows, features))
    X[:, :20] += centres[y]
    return X, y


def lazy_search(window: int) -> Make:
    def make() -> Any:
        from river import neighbors  # type: ignore[import-not-found]

        engine = neighbors.LazySearch(window_size=window)
        return neighbors.KNNClassifier(n_neighbors=5, engine=engine)

    return make


def step(axis: str, size: int, name: str, ours: Make, theirs: Make | None, **more: Any) -> Row:
    """A point of two curves; of one, where the peer cannot or would take too long."""
    rivals = ()
    if theirs is not None:
        rivals = (Rival(Side("river", f"river {name}", partial(Step, make=theirs, **more))),)
    mine = Side(OURS, f"onstream {name}", partial(Step, make=ours, **more))
    return Row(f"{axis} {size:,}, {name}", SMALL, mine, rivals)


LINEAR = (
    "LogisticRegression",
    maker("onstream.linear:LogisticRegression"),
    maker("river.linear_model:LogisticRegression"),
)
BAYES = ("GaussianNB", maker("onstream.bayes:GaussianNB"), maker("river.naive_bayes:GaussianNB"))
TREE = (
    "HoeffdingTreeClassifier",
    maker("onstream.tree:HoeffdingTreeClassifier"),
    maker("river.tree:HoeffdingTreeClassifier"),
)
FOREST = (
    "AdaptiveRandomForestClassifier in 4 MB",
    maker("onstream.ensemble:AdaptiveRandomForestClassifier", max_bytes=4_000_000),
    None,
)
SIZES = (10, 100, 1_000, 10_000)

ROWS = (
    *(
        step(
            "stream length", n, name, ours, theirs if n <= 100_000 else None, examples=1000, past=n
        )
        for name, ours, theirs in (LINEAR, TREE, FOREST)
        for n in (1_000, 10_000, 100_000, 1_000_000)
    ),
    *(
        step("features", d, *learner, examples=max(10, 20_000 // d), past=20, features=d)
        for learner in (LINEAR, BAYES)
        for d in SIZES
    ),
    *(step("labels", k, *BAYES, examples=max(10, 5_000 // k), labels=k) for k in (2, 10, 100, 500)),
    *(
        Row(
            f"labels {k:,}, softmax regression in blocks of 100",
            SMALL,
            Side(
                OURS,
                "onstream SoftmaxRegression",
                partial(
                    Blocks,
                    make=partial(maker, "onstream.linear:SoftmaxRegression", eta=0.01),
                    labels=k,
                ),
            ),
            (
                Rival(
                    Side(
                        "scikit-learn",
                        "scikit-learn SGDClassifier, one against the rest",
                        partial(
                            PeerBlocks,
                            make=maker("sklearn.linear_model:SGDClassifier", loss="log_loss"),
                            labels=k,
                        ),
                    )
                ),
            ),
        )
        for k in (2, 10, 100, 500)
    ),
    *(
        step(
            "budget",
            budget,
            "KNNClassifier, its window",
            maker("onstream.neighbors:KNNClassifier", window=budget, scale=None),
            lazy_search(budget),
            examples=max(20, 20_000 // budget),
            past=budget,
        )
        for budget in SIZES
    ),
    *(
        step(
            "budget",
            budget,
            "LeastRecentPerceptron, its supports",
            maker("onstream.kernel:LeastRecentPerceptron", budget=budget),
            None,
            examples=max(100, 100_000 // budget),
            past=3 * budget,
        )
        for budget in SIZES
    ),
)

IMPORTS: tuple[Import, ...] = ()
