"""Data sets as plain arrays on disk, read once per run by an environment that has pandas.

``python -m benchmarks.data SOURCE TARGET NAME...`` reads with the ``load.py`` found in SOURCE and
writes TARGET/NAME.npz; ``read`` is all a worker needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .contest import Data

Load = Callable[..., tuple[Any, Any]]


@dataclass(frozen=True)
class Csr:
    """The four things a CSR matrix is made of; onstream takes it as it is."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


def electricity(load: Load) -> Data:
    """45,312 half-hours, 8 standardised features: the price goes up, or not."""
    X, y = load("electricity")
    return {"X": _standardised(X), "y": y == 1, "names": np.array(X.columns, dtype=str)}


def electricity_start(load: Load) -> Data:
    """The first 5,000 of them, for peers that take milliseconds for one."""
    data = electricity(load)
    return {"X": data["X"][:5_000], "y": data["y"][:5_000], "names": data["names"]}


def covtype_binary(load: Load) -> Data:
    """First 200,000 forest patches, 54 standardised features, class 2 against the rest."""
    X, y = load("covtype")
    return {"X": _standardised(X[:200_000]), "y": (y[:200_000] == 2).astype(np.int64)}


def covtype_raw(load: Load) -> Data:
    """First 100,000 forest patches, 54 features as they are, 7 classes."""
    return _mixed(*load("covtype"), rows=100_000)


def kddcup99(load: Load) -> Data:
    """First 100,000 connections: 38 numbers, 3 features of text, 20 kinds of attack or none."""
    return _mixed(*load("kddcup99_10pct"), rows=100_000)


def bike_sharing(load: Load) -> Data:
    """Hours of a bicycle hire, standardised: how many were taken, standardised too."""
    X, y = load("bike_sharing")
    numeric = X.select_dtypes("number")
    target = np.asarray(y, dtype=np.float64)
    return {
        "X": _standardised(numeric),
        "y": (target - target.mean()) / target.std(),
        "names": np.array(numeric.columns, dtype=str),
    }


def mnist(load: Load) -> Data:
    """70,000 digits of 28 x 28 pixels in [0, 1]; the official split."""
    X, y = load("mnist")
    X = np.ascontiguousarray(X, dtype=np.float64)
    X = X / X.max()
    y = np.asarray(y, dtype=np.int64)
    return {"X": X[:60_000], "y": y[:60_000], "test_X": X[60_000:], "test_y": y[60_000:]}


def sector(load: Load) -> Data:
    """Company pages: 105 classes, 55,197 features; the official split."""
    return _sparse(*load("sector", rows="csr"), cut=6_412)


def news20(load: Load) -> Data:
    """Newsgroups: 20 classes, 62,061 features; no official split here, so the last fifth tests."""
    return _sparse(*load("news20", rows="csr"), cut=12_748)


def news20_binary(load: Load) -> Data:
    """The same with two classes: the first ten newsgroups are -1, the last ten +1."""
    X, y = load("news20", rows="csr")
    return _sparse(X, np.where(y <= 10, -1, 1), cut=12_748)


def a9a(load: Load) -> Data:
    """Census: 2 classes, 123 binary features; the official split."""
    return _sparse(*load("a9a", rows="csr"), cut=32_561)


def normal20(load: Load) -> Data:
    """4,000 rows of 20 normal numbers, inside or outside a ball."""
    X = np.random.default_rng(0).normal(size=(4_000, 20))
    return {"X": X, "y": (X * X).sum(axis=1) > 20.0}


def normal30(load: Load) -> Data:
    """100,000 rows of 30 normal numbers on two sides of a plane."""
    return _normal(100_000, 30)


def normal100(load: Load) -> Data:
    """4,000 rows of 100 normal numbers on two sides of a plane."""
    return _normal(4_000, 100)


def normal1000(load: Load) -> Data:
    """4,000 rows of 1,000 numbers, not below 0, on two sides of a plane."""
    data = _normal(4_000, 1_000)
    return {**data, "X": np.abs(data["X"])}


def mixed21(load: Load) -> Data:
    """20,000 rows of 17 normal numbers and 4 texts, one of them with 3,000 values."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(20_000, 17))
    codes = np.column_stack([rng.integers(0, n, 20_000) for n in (5, 20, 300, 3_000)])
    score = numbers[:, 0] + numbers[:, 1] + 2.0 * (codes[:, 0] == 1) + (codes[:, 3] % 3 == 0)
    return {
        "X": np.column_stack([numbers, codes]),
        "y": (score > 0.7).astype(np.int64),
        "names": np.array([*(f"n{i}" for i in range(17)), *(f"t{i}" for i in range(4))]),
        "nominal": np.arange(17, 21),
        **{
            f"values{17 + i}": np.array([f"v{c}" for c in range(n)])
            for i, n in enumerate((5, 20, 300, 3_000))
        },
    }


DATASETS: dict[str, Callable[[Load], Data]] = {
    f.__name__: f
    for f in (
        electricity,
        electricity_start,
        covtype_binary,
        covtype_raw,
        kddcup99,
        bike_sharing,
        mnist,
        sector,
        news20,
        news20_binary,
        a9a,
        normal20,
        normal30,
        normal100,
        normal1000,
        mixed21,
    )
}


def read(folder: str, name: str) -> Data:
    """Read the arrays of one data set."""
    with np.load(Path(folder) / f"{name}.npz") as arrays:
        return dict(arrays)


def csr(data: Data, part: str) -> Csr:
    """Put together the sparse matrix of the ``"train"`` or ``"test"`` part."""
    rows, columns = data[f"{part}_shape"].tolist()
    arrays = {field: data[f"{part}_{field}"] for field in ("data", "indices", "indptr")}
    return Csr(**arrays, shape=(rows, columns))


def _normal(rows: int, columns: int) -> Data:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return {"X": X, "y": (X @ rng.normal(size=columns) > 0.0).astype(np.int64)}


def _standardised(frame: Any) -> np.ndarray:
    X = frame.to_numpy(dtype=np.float64)
    deviation = X.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    return np.ascontiguousarray((X - X.mean(axis=0)) / deviation)


def _mixed(X: Any, y: Any, *, rows: int) -> Data:
    """Numbers as they are; text as codes, with its values beside (`nominal`, `values3`, ...)."""
    X = X[:rows]
    codes = np.unique(np.asarray(y)[:rows].astype(str), return_inverse=True)[1]
    data: Data = {"names": np.array(X.columns, dtype=str), "y": codes.astype(np.int64)}
    columns, nominal = [], []
    for i, name in enumerate(X.columns):
        column = X[name]
        if column.dtype.kind not in "fiub":
            values, column = np.unique(column.to_numpy(str), return_inverse=True)
            data[f"values{i}"] = values
            nominal.append(i)
        columns.append(np.asarray(column, dtype=np.float64))
    data["X"] = np.ascontiguousarray(np.column_stack(columns))
    data["nominal"] = np.array(nominal, dtype=np.int64)
    return data


def _sparse(X: Any, y: np.ndarray, *, cut: int) -> Data:
    """Rows before ``cut`` to train, the others to test; both parts equally wide."""
    data: Data = {}
    for part, rows in (("train", slice(None, cut)), ("test", slice(cut, None))):
        matrix = X[rows]
        for field in ("data", "indices", "indptr", "shape"):
            data[f"{part}_{field}"] = np.asarray(getattr(matrix, field))
        data[f"{part}_y"] = y[rows]
    return data


if __name__ == "__main__":
    source, target, *wanted = sys.argv[1:]
    sys.path.insert(0, source)
    from load import load  # type: ignore[import-not-found]

    for name in wanted:
        arrays: dict[str, Any] = DATASETS[name](load)
        np.savez(Path(target) / f"{name}.npz", **arrays)
