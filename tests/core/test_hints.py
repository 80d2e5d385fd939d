"""Hints that come once: a loss that diverges, ids among the features."""

import warnings
from typing import Any

import numpy as np
import pytest

from onstream.base import DataWarning
from onstream.linear import LinearRegression, LogisticRegression, SGDRegressor
from onstream.tree import HoeffdingTreeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = X @ [1.0, -2.0, 0.5]


def hints(model: Any, X: Any, y: Any) -> list[str]:
    """What is said when the block is learned, in parts."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for at in range(0, len(y), 150):
            model.learn_many(X[at : at + 150], y[at : at + 150])
    return [str(one.message) for one in told if issubclass(one.category, DataWarning)]


@pytest.mark.parametrize("kind", [LinearRegression, SGDRegressor])
def test_a_loss_that_diverges(kind: Any) -> None:
    told = hints(kind(eta=0.8), 1.6 * X[:60], Y[:60])
    assert len(told) == 1
    assert "learning diverges. Lower the rate (eta)" in told[0]


@pytest.mark.parametrize("kind", [LinearRegression, SGDRegressor])
def test_one_by_one(kind: Any) -> None:
    model = kind(eta=0.8)

    def learn() -> None:
        for x, y in zip(1.6 * X[:60], Y[:60], strict=True):
            model.learn_one(x, y)

    with pytest.warns(DataWarning, match="learning diverges"):
        learn()


@pytest.mark.parametrize("kind", [LinearRegression, SGDRegressor])
def test_a_loss_that_does_not(kind: Any) -> None:
    assert not hints(kind(), X, Y)
    assert not hints(kind(scale="auto"), 1e3 * X, Y)
    zeros = np.zeros(len(Y))
    assert not hints(kind(), X, zeros)  # nothing is known of their size


@pytest.mark.parametrize("make", [HoeffdingTreeClassifier, LogisticRegression])
def test_numbers_of_rows(make: Any) -> None:
    numbered = np.column_stack([X, np.arange(300) + 17.0])
    told = hints(make(), numbered, Y > 0)
    assert sum("column 3: another number in every row" in one for one in told) == 1
    backwards = np.column_stack([X, np.arange(300)[::-1]])
    assert not any("another number" in one for one in hints(make(), backwards, Y > 0))


def test_names_that_say_id() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    ids = RNG.permutation(300)
    for name in ("id", "customer_id", "userId"):
        told = hints(HoeffdingTreeClassifier(), frame.assign(**{name: ids}), Y > 0)
        assert [one for one in told if f"column '{name}': another number in every row" in one]
    for name, values in (("paid", ids), ("grid", ids), ("user_id", ids % 50), ("id", ids + 0.5)):
        assert not hints(HoeffdingTreeClassifier(), frame.assign(**{name: values}), Y > 0)


def test_a_column_alone_is_no_id() -> None:
    assert not hints(HoeffdingTreeClassifier(), np.arange(300.0)[:, None], Y > 0)
