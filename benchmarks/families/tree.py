"""Trees: mappings one by one, and dense blocks.

MOA is not measured here (it needs a JVM); its figures for Electricity stand in docs/trees.md.
"""

from __future__ import annotations

from functools import partial

from ..contest import OURS, Import, Rival, Row, Side, maker
from .linear import Dense, Make, Mappings

TITLE = "Trees"


def mappings(name: str, ours: Make, river: Make, target: float) -> Row:
    return Row(
        f"mappings, shared keys, {name}",
        "electricity",
        Side(OURS, f"onstream {name}", partial(Mappings, make=ours, fresh=False)),
        (
            Rival(
                Side("river", f"river {name}", partial(Mappings, make=river, fresh=False)), target
            ),
        ),
    )


def blocks(name: str, ours: Make, river: Make, target: float) -> Row:
    return Row(
        f"predict_learn_many, {name}",
        "electricity",
        Side(OURS, f"onstream {name}", partial(Dense, make=ours)),
        (
            Rival(
                Side("river", f"river {name}", partial(Mappings, make=river, fresh=False)), target
            ),
        ),
    )


LEARNERS = (
    (
        "HoeffdingTreeClassifier",
        maker("onstream.tree:HoeffdingTreeClassifier"),
        maker("river.tree:HoeffdingTreeClassifier"),
    ),
    (
        "HoeffdingAdaptiveTreeClassifier",
        maker("onstream.tree:HoeffdingAdaptiveTreeClassifier"),
        maker("river.tree:HoeffdingAdaptiveTreeClassifier", seed=1),
    ),
)

ROWS = (
    *(mappings(*learner, 60.0) for learner in LEARNERS),
    *(blocks(*learner, 150.0) for learner in LEARNERS),
)

IMPORTS = (
    Import(OURS, "from onstream.tree import HoeffdingTreeClassifier"),
    Import("river", "from river.tree import HoeffdingTreeClassifier"),
)
