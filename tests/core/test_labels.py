"""Labels in blocks: the fast way for whole numbers and the slow way for all give the same."""

from typing import Any

import numpy as np
import pytest

from onstream import Perceptron
from onstream.persist import dumps

COLUMNS: list[Any] = [
    [0, 1, 2, 1, 0],
    [5, -3, 5, 7, -3],
    [0, 65_535, 1, 0, 65_535],
    [0, 65_536, 1, 0, 65_536],
    [2**62, 2**62 + 1, 2**62, 2**62 - 1, 2**62],
    [-(2**63), 2**63 - 1, 0, 1, 2],
    [-(2**62), 2**62, 0, 1, 2],
    [True, False, False, True, True],
    [7, 7, 7, 7, 7],
]


@pytest.mark.parametrize("labels", COLUMNS, ids=str)
def test_arrays_and_lists_of_labels(labels: list[Any]) -> None:
    X = np.eye(5)
    expected = Perceptron()
    for x, label in zip(X, labels, strict=True):
        expected.learn_one(x, label)
    columns: list[Any] = [labels, tuple(labels), np.array(labels), np.array(labels, dtype=object)]
    columns.append(columns[2].astype(columns[2].dtype.newbyteorder()))
    if all(-128 <= label < 128 and type(label) is int for label in labels):
        columns.append(np.array(labels).astype("i1"))
    if all(abs(label) < 2**53 for label in labels) and not isinstance(labels[0], bool):
        columns.append(np.array(labels, dtype=float))
    for column in columns:
        for w in (None, np.ones(5)):
            model = Perceptron()
            model.learn_many(X, column, w)
            assert dumps(model) == dumps(expected)


def test_unsigned_labels() -> None:
    for order in "<>":
        model = Perceptron()
        model.learn_many(np.eye(2), np.array([2**64 - 1, 0], dtype=f"{order}u8"))
        assert model.labels == [2**64 - 1, 0]
        assert model.predict_many(np.eye(2)).tolist() == [2**64 - 1, 0]
    small = Perceptron()
    small.learn_many(np.eye(2), np.array([200, 0], dtype="u1"))
    assert small.labels == [200, 0]


def test_labels_far_from_those_of_the_block_before() -> None:
    """Numbers are looked up in a table that grows with each block; what does not fit there is met
    in the same order."""
    block = 1 << 13
    for far in (3, -3, 60_000, -60_000, 70_000, 2**62, -(2**62), 2**63 - 1, -(2**63)):
        y = np.zeros(3 * block, dtype=np.int64)
        y[5], y[block + 7], y[-1] = 1, far, -1
        model = Perceptron()
        model.learn_many(np.ones((len(y), 1)), y)
        assert model.labels == [0, 1, far, -1]


def test_known_labels_in_a_block() -> None:
    model = Perceptron(labels=[2, 1])
    model.learn_many(np.eye(3), np.array([1, 2, 3]))
    assert model.labels == [2, 1, 3]


def test_the_dtype_grows_with_the_labels() -> None:
    model = Perceptron()
    model.learn_many([{"a": 1.0}, {"b": 1.0}], ["x", "yy"])
    assert model.predict_many([{"a": 1.0}]).dtype == "<U2"
    model.learn_one({"c": 1.0}, "a longer label")
    assert model.predict_many([{"a": 1.0}]).dtype == "<U14"
    numbers = Perceptron()
    numbers.learn_many([{"a": 1.0}, {"b": 1.0}], [1, 2])
    assert numbers.predict_many([{}]).dtype == np.int64
    numbers.learn_one({"c": 1.0}, 2**70)
    assert numbers.predict_many([{}]).dtype == object


def test_a_refused_label_is_not_remembered() -> None:
    model = Perceptron(max_labels=2)
    model.learn_many([{"a": 1.0}] * 2, ["x", "y"])
    with pytest.raises(ValueError, match="max_labels"):
        model.learn_one({"a": 1.0}, "z")
    with pytest.raises(ValueError, match="feature 'a'"):
        Perceptron(init=model).learn_one({"a": float("nan")}, "x")
    assert model.labels == ["x", "y"]
    assert model.predict_many([{"a": 1.0}]).dtype == "<U1"


def test_rows_of_weight_zero_make_no_label_known() -> None:
    model = Perceptron()
    told = model.predict_learn_many(
        [{"a": 1.0}] * 5, ["x", "never", "y", "never", "x"], [1.0, 0.0, 1.0, 0.0, 1.0]
    )
    assert model.labels == ["x", "y"]
    assert told.tolist()[:2] == [None, "x"]
    with pytest.raises(TypeError, match="row 1"):
        model.learn_many([{"a": 1.0}] * 2, ["x", 5], [1.0, 0.0])
