"""Nearest neighbours over a window of 1000."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..contest import OURS, Data, Import, Rival, Row, Side, maker
from ..moa import Fresh
from .linear import Dense, Mappings
from .tree import Block
from .tree import columns as mixed_columns

TITLE = "Nearest neighbours"


def lazy_search() -> Any:
    """River's exact search over the latest 1000."""
    from river import neighbors  # type: ignore[import-not-found]

    return neighbors.KNNClassifier(n_neighbors=5, engine=neighbors.LazySearch(window_size=1000))


def columns(data: Data) -> list[Any]:
    """The columns for MOA."""
    return list(data["X"].T)


class Few(Mappings):
    """The first 4000 rows: River takes a while."""

    def __init__(self, data: Data, *, make: Callable[[], Any]) -> None:
        first = {**data, "X": data["X"][:4000], "y": data["y"][:4000]}
        super().__init__(first, make=make, fresh=False)


ROWS = (
    Row(
        "mappings, 5 neighbours, window 1000",
        "electricity",
        Side(
            OURS,
            "onstream KNNClassifier",
            partial(
                Few,  # River's votes are weighted by the distance
                make=maker("onstream.neighbors:KNNClassifier", scale=None, weights="distance"),
            ),
        ),
        (
            Rival(
                Side("river", "river KNNClassifier, LazySearch", partial(Few, make=lazy_search)),
                target=20.0,
            ),
        ),
    ),
    Row(
        "dense electricity, 5 neighbours, window 1000",
        "electricity",
        Side(
            OURS,
            "predict_learn_many",
            partial(Dense, make=maker("onstream.neighbors:KNNClassifier")),
        ),
        (
            Rival(
                Side(
                    "moa",
                    "MOA kNN, processor seconds it reports",
                    partial(Fresh, learner="(lazy.kNN -k 5 -w 1000)", columns=columns),
                ),
                target=10.0,
            ),
        ),
    ),
    Row(
        "17 numbers and 4 texts, one of 3,000 values, 5 neighbours, window 1000",
        "mixed21",
        Side(
            OURS,
            "predict_learn_many",
            partial(Block, make=maker("onstream.neighbors:KNNClassifier")),
        ),
        (
            Rival(
                Side(
                    "moa",
                    "MOA kNN, processor seconds it reports",
                    partial(Fresh, learner="(lazy.kNN -k 5 -w 1000)", columns=mixed_columns),
                ),
                target=5.0,
            ),
        ),
    ),
)

IMPORTS = (Import(OURS, "from onstream.neighbors import KNNClassifier"),)
