"""Naive Bayes: mappings one by one, dense blocks."""

from __future__ import annotations

from functools import partial

from ..contest import OURS, Import, Rival, Row, Side, maker
from .linear import Dense, DenseChunks, Mappings

TITLE = "Naive Bayes"

OUR_NB = maker("onstream.bayes:GaussianNB")
ROWS = (
    Row(
        "mappings, GaussianNB",
        "electricity",
        Side(OURS, "onstream GaussianNB", partial(Mappings, make=OUR_NB, fresh=False)),
        (
            Rival(
                Side(
                    "river",
                    "river GaussianNB",
                    partial(Mappings, make=maker("river.naive_bayes:GaussianNB"), fresh=False),
                ),
                target=50.0,
            ),
        ),
    ),
    Row(
        "dense electricity, GaussianNB",
        "electricity",
        Side(OURS, "predict_learn_many", partial(Dense, make=OUR_NB)),
        (
            Rival(
                Side(
                    "scikit-learn",
                    "GaussianNB predict + partial_fit, chunks of 1000",
                    partial(DenseChunks, make=maker("sklearn.naive_bayes:GaussianNB")),
                ),
                target=5.0,
            ),
        ),
    ),
)

IMPORTS = (Import(OURS, "from onstream.bayes import GaussianNB"),)
