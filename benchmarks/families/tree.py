"""Trees: mappings one by one against River, blocks against MOA.

MOA learns the same rows, from an ARFF file in a JVM of its own for every run (its own CPU seconds
of the evaluation, which read the file, too), and from memory in a JVM that is warm. Without java
these rows are left out.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from .. import moa
from ..contest import OURS, Data, Import, Rival, Row, Side, maker
from .linear import Dense, Make, Mappings

TITLE = "Trees"
MIXED = ("covtype_raw", "kddcup99")
FIRST = 20_000  # rows of the longer streams that River gets: it needs a minute for them


class MixedMappings(Mappings):
    """The first rows of a stream of numbers and text.

    They are made one after the other, as a reader makes them: numbers made column by column would
    lie far apart in memory.
    """

    def __init__(self, data: Data, *, make: Make) -> None:
        self.make, self.fresh = make, False
        self.y = data["y"][:FIRST].tolist()
        self.n = len(self.y)
        names, told = data["names"].tolist(), [column[:FIRST] for column in columns(data)]
        self.rows = [
            dict(zip(names, (column[i].item() for column in told), strict=True))
            for i in range(self.n)
        ]


class Block(Dense):
    """A block of numbers and text: an Arrow table, or a matrix where there is no text.

    CPU seconds count, since MOA tells nothing else.
    """

    def __init__(self, data: Data, *, make: Make) -> None:
        super().__init__(data, make=make)
        if len(data.get("nominal", ())):
            import pyarrow as pa

            told = zip(data["names"].tolist(), columns(data), strict=True)
            self.X = pa.table({name: pa.array(column) for name, column in told})

    def run(self) -> None:
        start = time.process_time()
        super().run()
        self.spent = time.process_time() - start


def columns(data: Data) -> list[np.ndarray]:
    """The columns, numbers or text."""
    found: list[np.ndarray] = list(np.ascontiguousarray(data["X"].T))
    for i in data.get("nominal", np.zeros(0, dtype=int)).tolist():
        found[i] = data[f"values{i}"][found[i].astype(int)]
    return found


def river(name: str, ours: Make, theirs: Make, data: str, target: float) -> Row:
    """One by one: the same loop for both."""
    kind: Any = MixedMappings if data in MIXED else partial(Mappings, fresh=False)
    return Row(
        f"mappings, {name}, {data}",
        data,
        Side(OURS, f"onstream {name}", partial(kind, make=ours)),
        (Rival(Side("river", f"river {name}", partial(kind, make=theirs)), target),),
    )


def against_moa(
    name: str, ours: Make, learner: str, data: str, fresh: float, warm: float | None
) -> Row:
    """A block against both kinds of JVM, or the fresh one alone."""
    theirs = learner.split()[0].strip("()").rpartition(".")[2]
    kinds: list[tuple[str, Any, float]] = [("fresh JVM, its CPU seconds", moa.Fresh, fresh)]
    if warm is not None:
        kinds.append(("warm JVM, CPU seconds", moa.Warm, warm))
    return Row(
        f"predict_learn_many, {name}, {data}",
        data,
        Side(
            OURS,
            f"onstream {name}",
            partial(Block, make=ours),
        ),
        tuple(
            Rival(
                Side(
                    "moa",
                    f"MOA {theirs}, {kind}",
                    partial(run, learner=learner, columns=columns),
                ),
                target,
            )
            for kind, run, target in kinds
        ),
    )


VFDT = (
    "HoeffdingTreeClassifier",
    maker("onstream.tree:HoeffdingTreeClassifier"),
    maker("river.tree:HoeffdingTreeClassifier"),
)
HAT = (
    "HoeffdingAdaptiveTreeClassifier",
    maker("onstream.tree:HoeffdingAdaptiveTreeClassifier"),
    maker("river.tree:HoeffdingAdaptiveTreeClassifier", seed=1),
)
STREAMS = ("electricity", *MIXED)

ROWS = (
    *(river(*learner, data, 60.0) for data in STREAMS for learner in (VFDT, HAT)),
    *(
        against_moa(name, ours, theirs, data, fresh, warm)
        for data in STREAMS
        for (name, ours, _), theirs, fresh, warm in (
            (VFDT, "trees.HoeffdingTree", 10.0, 4.0),
            (HAT, "trees.HoeffdingAdaptiveTree", 6.0, 3.0),
        )
    ),
)

IMPORTS = (
    Import(OURS, "from onstream.tree import HoeffdingTreeClassifier"),
    Import("river", "from river.tree import HoeffdingTreeClassifier"),
)
