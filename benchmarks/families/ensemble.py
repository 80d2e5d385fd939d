"""Forests and bagging, ten members each: mappings one by one against River, blocks against MOA."""

from __future__ import annotations

from ..contest import OURS, Import, maker
from .tree import against_moa, river

TITLE = "Ensembles"

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

ROWS = (
    *(river(*learner, "electricity", 100.0) for learner in (ARF, SRP)),
    *(
        against_moa(name, ours, theirs, "electricity", goal, goal / 2)
        for (name, ours, _), theirs, goal in (
            (ARF, "(meta.AdaptiveRandomForest -s 10)", 15.0),
            (SRP, "(meta.StreamingRandomPatches -s 10)", 10.0),
            (LEVERAGING, "(meta.LeveragingBag -l trees.HoeffdingTree -s 10)", 10.0),
        )
    ),
)

IMPORTS = (
    Import(OURS, "from onstream.ensemble import AdaptiveRandomForestClassifier"),
    Import("river", "from river.forest import ARFClassifier"),
)
