"""ADWIN over the errors of a learner: one by one, and many at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker

TITLE = "Drift detectors"
OUR_ADWIN, RIVER_ADWIN = maker("onstream.drift:ADWIN"), maker("river.drift:ADWIN")


class OneByOne(Contestant):
    """`update` in a loop."""

    def __init__(self, data: Data, *, make: Callable[[], Any]) -> None:
        rng = np.random.default_rng(0)
        chances = np.where(np.arange(200_000) % 50_000 < 25_000, 0.2, 0.3)
        self.values = (rng.random(len(chances)) < chances).astype(float)
        self.list = self.values.tolist()
        self.n, self.make = len(chances), make

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        update = self.model.update
        for v in self.list:
            update(v)

    def scores(self) -> dict[str, float]:
        return {"width of the window": float(self.model.width)}


class Many(OneByOne):
    """`update_many` at once."""

    def run(self) -> None:
        self.model.update_many(self.values)


RIVER = Side("river", "river ADWIN, update in a loop", partial(OneByOne, make=RIVER_ADWIN))
ROWS = (
    Row(
        "ADWIN, one by one",
        "electricity",
        Side(OURS, "onstream ADWIN.update", partial(OneByOne, make=OUR_ADWIN)),
        (Rival(RIVER, target=1.0),),
    ),
    Row(
        "ADWIN, many at once",
        "electricity",
        Side(OURS, "onstream ADWIN.update_many", partial(Many, make=OUR_ADWIN)),
        (Rival(RIVER, target=4.0),),
    ),
)

IMPORTS = (Import(OURS, "from onstream.drift import ADWIN"),)
