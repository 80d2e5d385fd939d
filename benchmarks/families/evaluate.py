"""Evaluation: metrics one by one, and whole prequential runs, against River's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side, maker

TITLE = "Evaluation"
Make = Callable[[], Any]


class Judged(Contestant):
    """A metric told one answer after the other."""

    n = 20_000

    def __init__(self, data: Data, *, make: Make, kind: str) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, self.n)
        if kind == "labels":
            told: Any = np.where(rng.random(self.n) < 0.8, y, 1 - y)
        elif kind == "scores":
            told = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=self.n), 0.01, 0.99)
        else:
            y = rng.normal(size=self.n)
            told = y + rng.normal(size=self.n)
        self.y = (y == 1).tolist() if kind != "numbers" else y.tolist()
        self.told = (told == 1).tolist() if kind == "labels" else told.tolist()
        self.make = make

    def setup(self) -> None:
        self.model = self.make()

    def run(self) -> None:
        update = self.model.update
        for y, told in zip(self.y, self.told, strict=True):
            update(y, told)

    def scores(self) -> dict[str, float]:
        get = getattr(self.model, "get", None)
        return {"its value": float(self.model.value if get is None else get())}


class Run(Contestant):
    """Predict, judge and learn every row of a stream of mappings, by the library's own loop."""

    def __init__(self, data: Data) -> None:
        names = data["names"].tolist()
        rows = [dict(zip(names, x, strict=True)) for x in data["X"].tolist()]
        self.stream = list(zip(rows, data["y"].tolist(), strict=True))
        self.n = len(self.stream)

    def setup(self) -> None:
        from onstream.linear import LogisticRegression

        self.model = LogisticRegression(eta=0.01)

    def run(self) -> None:
        from onstream.evaluate import Accuracy, prequential

        report = prequential(self.model, self.stream, metrics=[Accuracy()], baselines=False)
        self.accuracy = report.value("Accuracy")

    def scores(self) -> dict[str, float]:
        return {"prequential accuracy": self.accuracy}


class RiverRun(Run):
    """progressive_val_score."""

    def setup(self) -> None:
        from river.linear_model import LogisticRegression  # type: ignore[import-not-found]

        self.model = LogisticRegression()

    def run(self) -> None:
        from river import evaluate, metrics  # type: ignore[import-not-found]

        judged = evaluate.progressive_val_score(self.stream, self.model, metrics.Accuracy())
        self.accuracy = judged.get()


ROWS = (
    *(
        Row(
            f"metric one by one, {name}",
            "normal20",
            Side(
                OURS,
                f"onstream {name}",
                partial(Judged, make=maker(f"onstream.evaluate:{name}"), kind=kind),
            ),
            (
                Rival(
                    Side(
                        "river",
                        f"river {theirs}",
                        partial(Judged, make=maker(f"river.metrics:{theirs}"), kind=kind),
                    )
                ),
            ),
        )
        for name, theirs, kind in (
            ("Accuracy", "Accuracy", "labels"),
            ("Kappa", "CohenKappa", "labels"),
            ("F1", "F1", "labels"),
            ("LogLoss", "LogLoss", "scores"),
            ("ROCAUC", "ROCAUC", "scores"),
            ("RMSE", "RMSE", "numbers"),
        )
    ),
    Row(
        "prequential run over mappings, LogisticRegression, Accuracy",
        "electricity",
        Side(OURS, "prequential", Run),
        (Rival(Side("river", "progressive_val_score", RiverRun)),),
    ),
)

IMPORTS = (Import(OURS, "from onstream.evaluate import prequential"),)
