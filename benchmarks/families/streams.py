"""Streams: one pass of logistic regression over files, against Vowpal Wabbit on the same file.

`onstream run` predicts, judges and learns every line, and prints its table; both sides are
measured without the start of Python and the imports.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Rival, Row, Side

TITLE = "Streams"
EXAMPLES, FEATURES, NAMES = 400_000, 20, 10_000
LOSS = "progressive logistic loss"


class File(Contestant):
    """A file of examples with a known linear truth, written before the clock runs."""

    n = EXAMPLES
    suffix = ".vw"

    def __init__(self, data: Data, *, params: str = "hash_bits=18") -> None:
        self.params = params
        self.folder = tempfile.TemporaryDirectory(prefix="onstream-bench-")
        self.path = Path(self.folder.name) / f"data{self.suffix}"
        rng = np.random.default_rng(0)
        truth = rng.normal(size=NAMES)
        with self.path.open("w", encoding="ascii") as file:
            for _ in range(EXAMPLES // 1000):
                names = np.sort(rng.integers(0, NAMES, (1000, FEATURES)))
                values = rng.normal(size=(1000, FEATURES)).round(4)
                margin = (truth[names] * values).sum(axis=1) + rng.normal(size=1000)
                labels = np.where(margin > 0, 1, -1).tolist()
                for y, own, v in zip(labels, names.tolist(), values.tolist(), strict=True):
                    file.write(self.line(y, own, v))

    def line(self, y: int, names: list[int], values: list[float]) -> str:
        pairs = " ".join(f"x{i}:{v}" for i, v in zip(names, values, strict=True))
        return f"{y} |f {pairs}\n"

    def stream(self) -> Any:
        from onstream.streams import read_vw

        return read_vw(self.path)

    def run(self) -> None:
        from onstream.cli.main import app

        command = ["run", str(self.path), "-m", f"LogisticRegression({self.params})", "--quiet"]
        with contextlib.redirect_stdout(io.StringIO()):  # its table
            app(command, standalone_mode=False)

    def scores(self) -> dict[str, float]:
        from onstream import LogisticRegression

        model = LogisticRegression(**({"hash_bits": 18} if self.params else {}))
        total = 0.0
        for X, y in self.stream().batches(4096):
            scores = model.predict_learn_many(X, y, output="score")
            total += float(np.logaddexp(0.0, -scores * y).sum())
        return {LOSS: total / self.n}


class Libsvm(File):
    """The same as libsvm text."""

    suffix = ".libsvm"

    def line(self, y: int, names: list[int], values: list[float]) -> str:
        pairs = dict(zip(names, values, strict=True))
        return f"{y} {' '.join(f'{i}:{v}' for i, v in pairs.items())}\n"

    def stream(self) -> Any:
        from onstream.streams import read_libsvm

        return read_libsvm(self.path)


class VowpalWabbit(File):
    """Vowpal Wabbit driving the file itself, in its own threads."""

    def run(self) -> None:
        from vowpalwabbit import Workspace  # type: ignore[import-not-found]

        self.model = Workspace(f"--loss_function logistic -b 18 -d {self.path} --quiet --no_stdin")

    def scores(self) -> dict[str, float]:
        return {LOSS: float(self.model.get_sum_loss() / self.model.get_weighted_examples())}


class Table(Contestant):
    """8 numeric columns and logistic regression, from a CSV or a Parquet file."""

    n = 1_000_000

    def __init__(self, data: Data, *, kind: str) -> None:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.parquet

        self.folder = tempfile.TemporaryDirectory(prefix="onstream-bench-")
        self.path, self.kind = Path(self.folder.name) / f"data.{kind}", kind
        X = np.random.default_rng(0).normal(size=(self.n, 8)).round(4)
        columns = {f"f{j}": X[:, j] for j in range(8)}
        table = pa.table({**columns, "y": (X.sum(axis=1) > 0).astype(np.int64)})
        if kind == "csv":
            pa.csv.write_csv(table, self.path)
        else:
            pa.parquet.write_table(table, self.path)

    def setup(self) -> None:
        from onstream import LogisticRegression

        self.model = LogisticRegression()

    def run(self) -> None:
        from onstream import streams

        read = streams.read_csv if self.kind == "csv" else streams.read_parquet
        self.model.fit(read(self.path, target="y"))


class Clock(Contestant):
    """A million rows in a second: not a rival, but the target, so that the page shows it."""

    n = 1_000_000

    def __init__(self, data: Data) -> None:
        pass

    def run(self) -> None:
        end = perf_counter() + self.n / 1e6
        while perf_counter() < end:
            pass


class Prequential(Contestant):
    """Predict, judge and learn the rows of an array; or only predict and learn."""

    n = 1_000_000

    def __init__(self, data: Data, *, judged: bool) -> None:
        self.X = np.random.default_rng(0).normal(size=(self.n, 8))
        self.y = (self.X.sum(axis=1) > 0).astype(np.int64)
        self.judged = judged

    def setup(self) -> None:
        from onstream import LogisticRegression

        self.model = LogisticRegression()

    def run(self) -> None:
        if not self.judged:
            self.model.predict_learn_many(self.X, self.y)
            return
        from onstream.evaluate import prequential

        prequential(self.model, (self.X, self.y), baselines=False)


VW = Side("vw", "Vowpal Wabbit", VowpalWabbit)
MILLION = Side(OURS, "the target, a million rows a second", Clock)
ROWS = (
    Row(
        "VW text, 400,000 x 20, 18 bits",
        "electricity",
        Side(OURS, "onstream run, LogisticRegression", File),
        (Rival(VW, 3.5),),
    ),
    Row(
        "VW text, 400,000 x 20, names not hashed",
        "electricity",
        Side(OURS, "onstream run, LogisticRegression", partial(File, params="")),
        (Rival(VW, 1.0),),
    ),
    Row(
        "libsvm, 400,000 x 20, 18 bits",
        "electricity",
        Side(OURS, "onstream run, LogisticRegression", Libsvm),
        (Rival(VW, 3.0),),
    ),
    Row(
        "CSV, 8 numeric columns",
        "electricity",
        Side(OURS, "read_csv, LogisticRegression", partial(Table, kind="csv")),
        (Rival(MILLION, 1.0),),
    ),
    Row(
        "Parquet, 8 numeric columns",
        "electricity",
        Side(OURS, "read_parquet, LogisticRegression", partial(Table, kind="parquet")),
        (Rival(MILLION, 1.0),),
    ),
    Row(
        "prequential over an array, 1,000,000 x 8",
        "electricity",
        Side(OURS, "prequential, LogisticRegression", partial(Prequential, judged=True)),
        (
            Rival(
                Side(OURS, "predict_learn_many alone", partial(Prequential, judged=False)),
                1 / 1.3,
            ),
        ),
    ),
)
IMPORTS = ()
