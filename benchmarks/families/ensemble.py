"""Forests, bagging and boosting: mappings one by one against River, blocks against MOA.

Beside that two threads against one, and a hundred trees over a hundred thousand rows, by the clock.
"""

from __future__ import annotations

import time
from functools import partial

from ..contest import OURS, Import, Rival, Row, Side, maker
from .linear import Dense
from .tree import against_moa, river

TITLE = "Ensembles"


class Clock(Dense):
    """A block by the clock, whatever its threads take of the processor."""

    def run(self) -> None:
        start = time.perf_counter()
        super().run()
        self.spent = time.perf_counter() - start


ARF = (
    "AdaptiveRandomForestClassifier",
    maker("onstream.ensemble:AdaptiveRandomForestClassifier", n_jobs=2),
    maker("river.forest:ARFClassifier", seed=1),
)
SRP = (
    "StreamingRandomPatchesClassifier",
    maker("onstream.ensemble:StreamingRandomPatchesClassifier", n_jobs=2),
    maker("river.ensemble:SRPClassifier", n_models=10, seed=1),
)
LEVERAGING = (
    "LeveragingBagging",
    maker("onstream.ensemble:LeveragingBagging", n_jobs=2),
    None,
)
SGBT = (
    "StreamingGradientBoostingClassifier",
    maker("onstream.ensemble:StreamingGradientBoostingClassifier", n_jobs=2),
    None,
)


def forest(n_models: int, n_jobs: int) -> Side:
    """Ours over a block, by the clock."""
    make = maker(
        "onstream.ensemble:AdaptiveRandomForestClassifier", n_models=n_models, n_jobs=n_jobs
    )
    name = f"onstream, {n_models} trees, n_jobs={n_jobs}"
    return Side(OURS, name, partial(Clock, make=make))


ROWS = (
    *(river(*learner, "electricity_start", goal) for learner, goal in ((ARF, 100.0), (SRP, 50.0))),
    *(
        against_moa(name, ours, theirs, "electricity", goal, warm)
        for (name, ours, _), theirs, goal, warm in (
            (ARF, "(meta.AdaptiveRandomForest -s 10)", 15.0, 7.5),
            (SRP, "(meta.StreamingRandomPatches -s 10)", 10.0, 5.0),
            (LEVERAGING, "(meta.LeveragingBag -l trees.HoeffdingTree -s 10)", 10.0, 5.0),
            (SGBT, "meta.StreamingGradientBoostedTrees", 10.0, None),
        )
    ),
    Row(
        "two threads beside one, forest of 10 trees, 100,000 rows of 30 numbers",
        "normal30",
        forest(10, 2),
        (Rival(forest(10, 1), 1.6),),
    ),
    Row("forest of 100 trees, 100,000 rows of 30 numbers", "normal30", forest(100, 2), ()),
)

IMPORTS = (
    Import(OURS, "from onstream.ensemble import AdaptiveRandomForestClassifier"),
    Import("river", "from river.forest import ARFClassifier"),
)
