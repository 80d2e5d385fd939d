"""Short blocks have shortcuts for labels, targets and outputs: they answer as long ones do."""

import numpy as np
import pytest

from onstream.linear import PAClassifier, PARegressor, SoftmaxRegression
from onstream.persist import dumps

LABELS = {
    "int64": np.array([3, 1, 3, 2]),
    "int8": np.array([3, 1, 3, 2], dtype=np.int8),
    "every second": np.array([3, 0, 1, 0, 3, 0, 2, 0])[::2],
    "swapped": np.array([3, 1, 3, 2], dtype=">i8"),
    "bools": np.array([True, False, True, True]),
    "floats": np.array([3.0, 1.0, 3.0, 2.0]),
    "list": [3, 1, 3, 2],
    "list of bools": [True, False, True, True],
    "texts": ["c", "a", "c", "b"],
    "array of texts": np.array(["c", "a", "c", "b"]),
    "objects": np.array(["c", "a", "c", "b"], dtype=object),
    "tuple": (3, 1, 3, 2),
}


def repeated(y, times):
    return np.tile(y, times) if isinstance(y, np.ndarray) else y * times


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_one_row_four_rows_and_all(kind, weighted):
    y = repeated(LABELS[kind], 30)
    X = np.random.default_rng(0).normal(size=(len(y), 3))
    w = np.arange(len(y)) % 3 / 2 if weighted else None
    models = {size: SoftmaxRegression() for size in (1, 4, len(y))}
    for size, model in models.items():
        told = [
            model.predict_learn_many(
                X[i : i + size], y[i : i + size], None if w is None else w[i : i + size]
            ).tolist()
            for i in range(0, len(y), size)
        ]
        model.note = [label for block in told for label in block]
    assert len({dumps(model) for model in models.values()}) == 1
    assert models[1].note == models[4].note == models[len(y)].note
    assert models[1].predict_many(X[:1]).dtype == models[1].predict_many(X).dtype


@pytest.mark.parametrize("y", [[1, True], [True, 1], [1, "1"], ["1", 1], [1, 0.5], [1, None]])
def test_labels_of_another_kind_are_refused_with_their_row(y):
    model = PAClassifier()
    model.learn_many(np.eye(2), [y[0], y[0]])
    before = dumps(model)
    with pytest.raises((TypeError, ValueError), match=r"^PAClassifier: row 1: "):
        model.learn_many(np.eye(2), y)
    assert dumps(model) == before


@pytest.mark.parametrize("y", [[1, 2, 1], [1], np.array([1, 2, 1]), np.array([[1], [2]])])
def test_columns_of_another_length_are_refused(y):
    model = PAClassifier(labels=[1, 2])
    with pytest.raises(
        ValueError, match=r"^PAClassifier: (X has 2 rows, y has|y must have one dim)"
    ):
        model.learn_many(np.eye(2), y)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_targets_that_are_not_finite_are_refused_with_their_row(bad):
    model = PARegressor()
    with pytest.raises(ValueError, match=r"^PARegressor: row 1: the target y"):
        model.learn_many(np.eye(2), np.array([1.0, bad]))
    assert model.seen == 0


def test_targets_of_any_layout():
    X, y = np.eye(4), np.arange(8.0)
    models = [PARegressor() for _ in range(5)]
    same = (y[::2].copy(), y[::2], y[::2].astype(">f8"), y[::2].astype("f4"), y[::2].tolist())
    for model, targets in zip(models, same, strict=True):
        model.learn_many(X, targets)
    assert len(set(map(dumps, models))) == 1
