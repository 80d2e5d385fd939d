"""What a durable model takes: the contract's rows, or a sentence; the log gives back the same."""

import hashlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from onstream import PAClassifier, PARegressor
from onstream.core.sparse import SparseBlock
from onstream.features import BagOfWords
from onstream.persist import dumps
from onstream.serve.store import DurableModel

COLUMNS = {"size": [1.5, None, 3.0], "colour": ["red", "blue", None]}
EXPECTED = [{"size": 1.5, "colour": "red"}, {"colour": "blue"}, {"size": 3.0}]
LABELS = ["a", "b", "a"]
ARRAY = [[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]]


def logged(model: DurableModel) -> list[Any]:
    return [example.x for _, examples in model.log.records() for example in examples if example]


def replayed(folder: Path) -> str:
    """The sum of the state that the log alone gives: without the last snapshot."""
    for path in sorted((folder / "snapshots").iterdir())[1:]:
        path.unlink()
    with DurableModel(folder) as model:
        return model.state_sha256


def sum_of(learner: Any, X: list[Any], y: list[Any]) -> str:
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    return hashlib.sha256(dumps(learner)).hexdigest()


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (pd.DataFrame(COLUMNS), EXPECTED),
        (pd.DataFrame({**COLUMNS, "colour": pd.Categorical(COLUMNS["colour"])}), EXPECTED),
        (pl.DataFrame(COLUMNS), EXPECTED),
        (pa.table(COLUMNS), EXPECTED),
        (pd.DataFrame({3: [1.0, 2.0, 3.0]}), [{"3": 1.0}, {"3": 2.0}, {"3": 3.0}]),
        (pd.DataFrame({"a": [1, 2, 3]}, index=[7, 8, 9]), [{"a": 1}, {"a": 2}, {"a": 3}]),
        (np.array(ARRAY), [{"0": a, "1": b} for a, b in ARRAY]),
        (ARRAY, [{"0": a, "1": b} for a, b in ARRAY]),
        ([np.array(row) for row in ARRAY], [{"0": a, "1": b} for a, b in ARRAY]),
        ([{3: 1.0}, {np.int64(3): 2.0, "a": 1}, {3: 1.0, "3": 2}],
         [{"3": 1.0}, {"3": 2.0, "a": 1}, {"3": 3.0}]),
        ((dict(row) for row in EXPECTED), EXPECTED),
        ([pd.Series({"a": 1.5}), {"a": Decimal("2.5")}, {"a": 2**70, "b": None}],
         [{"a": 1.5}, {"a": 2.5}, {"a": float(2**70), "b": None}]),
    ],
    ids=["pandas", "categories", "polars", "arrow", "int columns", "index", "array", "lists",
         "list of arrays", "int names", "generator", "odd values"],
)  # fmt: skip
def test_rows_of_every_kind(X: Any, expected: list[Any], tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier()) as model:
        assert model.learn_many(X, LABELS).learned == 3
        assert logged(model) == expected
        state = model.state_sha256
        assert state == sum_of(PAClassifier(), expected, LABELS)
        if not hasattr(X, "send"):
            assert len(model.predict_many(X)) == 3
    assert replayed(tmp_path) == state


def test_sparse_rows_of_names_and_texts(tmp_path: Path) -> None:
    starts, names = [0, 2, 3], b"abcb"
    block = SparseBlock(starts, [1.0, 2.0, 3.0], [1, 2, 3], [0, 1, 2, 3], list(names[:3]))
    with DurableModel(tmp_path / "a", PAClassifier()) as model:
        model.learn_many(block, ["x", "y"])
        assert logged(model) == [{"a": 1.0, "b": 2.0}, {"c": 3.0}]
    for i, texts in enumerate((["a b", "c"], pd.Series(["a b", "c"]), np.array(["a b", "c"]))):
        with DurableModel(tmp_path / f"{i}", BagOfWords() | PAClassifier()) as model:
            model.learn_many(texts, ["x", "y"])
            assert logged(model) == ["a b", "c"]


@pytest.mark.parametrize(
    ("x", "expected"),
    [(np.array([1, 2]), {"0": 1.0, "1": 2.0}), ([1.5, 2.0], {"0": 1.5, "1": 2.0}),
     ({3: 1, "a": True}, {"3": 1, "a": True}), (pd.Series({"a": 1.0}), {"a": 1.0})],
)  # fmt: skip
def test_one_example_of_every_kind(x: Any, expected: Any, tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier()) as model:
        model.learn_one(x, "a")
        model.learn([{"x": x, "y": "b"}])
        assert logged(model) == [expected] * 2
        assert model.predict_one(x) == "b"


@pytest.mark.parametrize(
    "y",
    [pd.Series(LABELS), np.array(LABELS), pa.chunked_array([LABELS]), pl.Series(LABELS),
     (label for label in LABELS)],
)  # fmt: skip
def test_targets_of_every_kind(y: Any, tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier()) as model:
        assert model.learn_many(EXPECTED, y).learned == 3
        assert model.learner.labels == ["a", "b"]


ROWS = [{"a": 1.0}, {"a": 2.0}]


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([{"a": 1}, {"a": pd.NA}], ["x", "y"], "row 1: feature 'a' must be .* Give None"),
        (pd.DataFrame({"a": [1.0, 2.0]}), ["x"], "X has 2 rows, y has 1"),
        (pd.DataFrame({"a": [1.0]}), ["x", "y"], "X has 1 rows, y has 2"),
        (ROWS, ["x"], "X has 2 rows, y has 1"),
        ([{"a": 1}, {"a": object()}], ["x", "y"], "row 1: feature 'a' must be a number"),
        ([{"a": 1}, {("a", 1): 1}], ["x", "y"], "row 1: a feature's name must be a string or an"),
        ([{"a": 1}, {3: 1.0, "3": "red"}], ["x", "y"], "row 1: feature '3' is there twice"),
        ([{"a": 1}, 5], ["x", "y"], "row 1: an example must be a mapping"),
        ([{"a": 1}, {"a": float("nan")}], ["x", "y"], r"examples\[1\].x.a: the value is nan"),
        (np.array([[1.0], [np.nan]]), ["x", "y"], r"examples\[1\].x.0: the value is nan"),
        (ROWS, ["x", object()], "row 1: this cannot be logged"),
        (np.zeros(3), ["x"] * 3, r"X must have 2 dimensions, got shape \(3,\)"),
        (np.array([["a"], ["b"]]), ["x", "y"], "X must hold numbers, got an array of <U1"),
        (pd.Series([1.0, 2.0], name="b"), ["x", "y"], r"X is one column, a Series.*df\[\['b'\]\]"),
        (sp.csr_matrix(np.eye(2)), ["x", "y"], "X is a sparse matrix"),
        ({"a": 1}, ["x"], "X must be many examples: .* got dict. One example goes to learn_one"),
        ("ab", ["x", "y"], "X must be many examples: .* got str"),
        (3, ["x"], "X must be many examples: .* got int"),
        (ROWS, "xy", "y must be a list or an array with one target for each row, got str"),
        (ROWS, pd.DataFrame({"y": [1, 2]}), "y must be a list or an array .* got DataFrame"),
        (ROWS, None, "y must be a list or an array .* got None"),
    ],
)
def test_what_is_no_row_is_said(X: Any, y: Any, said: str, tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier()) as model:
        with pytest.raises((TypeError, ValueError), match=f"^DurableModel: {said}"):
            model.learn_many(X, y)
        assert logged(model) == []
        assert model.seen == 0


@pytest.mark.parametrize(
    ("x", "said"),
    [(np.zeros((2, 2)), "an example must have 1 dimension"), ({"a": b"x"}, "feature 'a' must be"),
     (None, "an example must be a mapping"), (pd.DataFrame({"a": [1.0]}), "go to learn_many"),
     ({"a": float("inf")}, "x.a: the value is inf"), ([1.0, "a"], "must hold numbers"),
     ({"a": 10**400}, "too large for a float")],
)  # fmt: skip
def test_what_is_no_example_is_said(x: Any, said: str, tmp_path: Path) -> None:
    with DurableModel(tmp_path, PARegressor()) as model:
        with pytest.raises((TypeError, ValueError), match=f"(?s)^DurableModel: .*{said}"):
            model.learn_one(x, 1.0)
        assert model.seen == 0
