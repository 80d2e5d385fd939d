"""Data sets of a folder: NAME.parquet, NAME.npz, NAME.svm.bz2 or NAME.train.svm.bz2.

A Parquet table has the target in `y`; `text` is the one feature of a set of texts; `split` says
train or test; columns that begin with an underscore are no features. Arrays are X_train, y_train,
X_test and y_test. Rows keep their order.
"""

import bz2
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Loaded:
    """A data set: rows as an array, texts, or dicts; targets; how many rows are for training."""

    name: str
    X: Any
    y: NDArray[Any]
    train: int | None = None  # rows of the official training part, which come first

    def binary(self) -> NDArray[np.int64]:
        """1 for the last label in sorted order, 0 for all others."""
        return np.asarray(self.y == sorted(set(self.y.tolist()))[-1], dtype=np.int64)

    def shuffled(self, seed: int = 0) -> "Loaded":
        """The rows in random order."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        X = self.X[order] if isinstance(self.X, np.ndarray) else [self.X[i] for i in order]
        return Loaded(self.name, X, self.y[order])

    def first(self, rows: int) -> "Loaded":
        """The first rows."""
        return Loaded(self.name, self.X[:rows], self.y[:rows], self.train)


def load(folder: Path, name: str) -> Loaded:
    """Read one data set."""
    if (path := folder / f"{name}.parquet").exists():
        return read_table(name, path)
    if (path := folder / f"{name}.npz").exists():
        return read_arrays(name, path)
    parts = [folder / f"{name}.{part}.svm.bz2" for part in ("train", "test")]
    if parts[0].exists():
        return read_libsvm(name, [path for path in parts if path.exists()])
    if (path := folder / f"{name}.svm.bz2").exists():
        return read_libsvm(name, [path])
    raise FileNotFoundError(2, "There is no such data set", str(folder / name))


def read_table(name: str, path: Path) -> Loaded:
    """A Parquet table; text columns of a table of numbers become numbers of their values."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    y = np.asarray(table["y"].to_pylist() if table["y"].null_count else table["y"].to_numpy())
    train = None
    if "split" in table.column_names:
        split = np.asarray(table["split"].to_pylist())
        order = np.argsort(split != "train", kind="stable")
        table, y, train = table.take(order), y[order], int((split == "train").sum())
    if "text" in table.column_names:
        return Loaded(name, table["text"].to_pylist(), y, train)
    columns = []
    for column in table.column_names:
        if column in ("y", "split") or column.startswith("_"):
            continue
        values = table[column].to_numpy()
        if values.dtype.kind not in "fiub":
            values = np.unique(values.astype(str), return_inverse=True)[1]
        columns.append(np.nan_to_num(values.astype(np.float64)))
    return Loaded(name, np.column_stack(columns), y, train)


def read_arrays(name: str, path: Path) -> Loaded:
    """Arrays of NumPy, such as images."""
    with np.load(path, allow_pickle=False) as file:
        X = np.concatenate([file["X_train"], file["X_test"]])
        y = np.concatenate([file["y_train"], file["y_test"]])
        train = len(file["y_train"])
    return Loaded(name, X.reshape(len(X), -1).astype(np.float64), y, train)


def read_libsvm(name: str, paths: list[Path]) -> Loaded:
    """Lines of `label index:value ...`, as dicts."""
    rows: list[dict[str, float]] = []
    labels: list[int] = []
    train = None
    for path in paths:
        with bz2.open(path, "rt") as lines:
            for line in lines:
                label, *pairs = line.split()
                labels.append(int(label))
                rows.append({i: float(v) for i, v in (pair.split(":") for pair in pairs)})
        train = len(rows) if train is None and len(paths) > 1 else train
    return Loaded(name, rows, np.array(labels), train)
