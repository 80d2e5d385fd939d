"""Features: steps before a learner, one by one against River, in blocks against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker

TITLE = "Features"
Make = Callable[[], Any]
ROWS_OF_TEXT, WORDS, LENGTH = 2_000, 20_000, 40


class OneByOne(Contestant):
    """Learn, then transform, mappings of numbers: the same loop for onstream and River."""

    def __init__(self, data: Data, *, make: Make) -> None:
        names = [f"f{i}" for i in range(data["X"].shape[1])]
        self.rows = [dict(zip(names, x, strict=True)) for x in data["X"].tolist()]
        self.n, self.make = len(self.rows), make

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        learn, transform = self.model.learn_one, self.model.transform_one
        for x in self.rows:
            learn(x)
            self.last = transform(x)

    def scores(self) -> dict[str, float]:
        return {"sum of the last example": float(sum(self.last.values()))}


class Texts(OneByOne):
    """The same with texts of 40 words, of which some are frequent."""

    def __init__(self, data: Data, *, make: Make) -> None:
        rng = np.random.default_rng(0)
        drawn = np.minimum(rng.zipf(1.3, size=(ROWS_OF_TEXT, LENGTH)), WORDS)
        self.rows: list[Any] = [" ".join(f"w{i}" for i in row) for row in drawn.tolist()]
        self.n, self.make = len(self.rows), make


class Block(Contestant):
    """Learn, then transform, the matrix, in blocks of 100 rows."""

    def __init__(self, data: Data, *, make: Make) -> None:
        self.X, self.n, self.make = data["X"], len(data["X"]), make

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.learn_many(self.X[at : at + 100])
            self.last = self.model.transform_many(self.X[at : at + 100])

    def scores(self) -> dict[str, float]:
        return {"sum of the last block": float(np.sum(self.last))}


class PeerBlock(Block):
    """The same by partial_fit and transform of scikit-learn."""

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.partial_fit(self.X[at : at + 100])
            self.last = self.model.transform(self.X[at : at + 100])


class Projection(Block):
    """Random Fourier features of blocks, which learn nothing."""

    def setup(self) -> None:
        self.model = self.make()
        self.model.learn_many(self.X[:1])

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.transform_many(self.X[at : at + 100])

    def scores(self) -> dict[str, float]:
        return {}


class PeerProjection(Projection):
    """The same with scikit-learn."""

    def setup(self) -> None:
        self.model = self.make().fit(self.X[:1])

    def run(self) -> None:
        for at in range(0, self.n, 100):
            self.model.transform(self.X[at : at + 100])


def ours(name: str, **params: Any) -> Make:
    return maker(f"onstream.features:{name}", **params)


def row(
    name: str, data: str, kind: Any, mine: Make, peer: str, peer_kind: Any, theirs: Make
) -> Row:
    return Row(
        name,
        data,
        Side(OURS, "onstream", partial(kind, make=mine)),
        (Rival(Side(peer, peer, partial(peer_kind, make=theirs))),),
    )


ROWS = (
    *(
        row(
            f"mappings of 20 numbers, {name}",
            "normal20",
            OneByOne,
            ours(name),
            "river",
            OneByOne,
            maker(f"river.preprocessing:{name}"),
        )
        for name in ("StandardScaler", "MinMaxScaler")
    ),
    row(
        "texts of 40 words, BagOfWords",
        "normal20",
        Texts,
        ours("BagOfWords"),
        "river",
        Texts,
        maker("river.feature_extraction:BagOfWords", lowercase=False),
    ),
    *(
        row(
            f"blocks of 100 rows of 1,000 numbers, {name}",
            "normal1000",
            Block,
            ours(name),
            "scikit-learn",
            PeerBlock,
            maker(f"sklearn.preprocessing:{name}"),
        )
        for name in ("StandardScaler", "MinMaxScaler")
    ),
    row(
        "blocks of 100 rows of 100 numbers, 200 random Fourier features",
        "normal100",
        Projection,
        ours("RandomFourierFeatures", n_components=100, gamma=0.01),
        "scikit-learn",
        PeerProjection,
        maker("sklearn.kernel_approximation:RBFSampler", n_components=200, gamma=0.01),
    ),
)

IMPORTS = (Import(OURS, "from onstream.features import StandardScaler"),)
