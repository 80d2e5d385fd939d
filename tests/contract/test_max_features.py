"""Learners with a matrix of features x features take no more of them than they say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onstream.bayes import BayesianLinearRegression
from onstream.features import FeatureHasher
from onstream.linear import AROW, CW, RLS, SCW

from .tools import fingerprint, reloaded

SQUARES: dict[str, Callable[..., Any]] = {
    "RLS": RLS,
    "BayesianLinearRegression": BayesianLinearRegression,
    "AROW": lambda **options: AROW(covariance="full", **options),
    "CW": lambda **options: CW(covariance="full", **options),
    "SCW": lambda **options: SCW(covariance="full", **options),
}


@pytest.fixture(params=SQUARES, ids=str)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return SQUARES[request.param]


def cities(n: int) -> list[dict[str, Any]]:
    return [{"size": 0.5, "city": f"city {i}"} for i in range(n)]


def test_one_value_too_many_is_refused_and_nothing_is_lost(make: Callable[..., Any]) -> None:
    model = make(max_features=20)
    for i, x in enumerate(cities(19)):
        model.learn_one(x, i % 2)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"21 features \(column 'city' alone has 20 values\)"):
        model.learn_one({"city": "another"}, 1)
    assert fingerprint(model) == before
    model.learn_one({"city": "city 3"}, 1)  # what it knows it goes on learning
    assert fingerprint(reloaded(model)) == fingerprint(model)


def test_a_block_that_is_too_wide_is_refused(make: Callable[..., Any]) -> None:
    model = make(max_features=20)
    model.learn_many(cities(4), [0, 1, 0, 1])
    before = fingerprint(model)
    with pytest.raises(ValueError, match="max_features=20"):
        model.learn_many(cities(30), [0, 1] * 15)
    assert fingerprint(model) == before
    with pytest.raises(ValueError, match="40 features, more than max_features=20"):
        make(max_features=20).learn_many(np.ones((2, 40)), [0, 1])


def test_the_limit_of_itself_keeps_a_matrix_below_40_megabytes(make: Callable[..., Any]) -> None:
    model = make()
    model.learn_one(np.ones(2048), 1)
    assert 2**25 < model.memory_bytes < 40e6
    with pytest.raises(ValueError, match="max_features=2,048"):
        make().learn_one(np.ones(2049), 1)
    make(max_features=None).learn_one({f"f{i}": 1.0 for i in range(2049)}, 1)


def test_hashed_features_have_their_own_limit() -> None:
    for make in (SQUARES["RLS"], SQUARES["AROW"]):
        model = make(hash_bits=6, max_features=20)
        for i, x in enumerate(cities(200)):
            model.learn_one(x, i % 2)
        assert model.seen == 200
    hashed = FeatureHasher(hash_bits=4) | BayesianLinearRegression(max_features=20)
    hashed.learn_many(cities(200), [0.0, 1.0] * 100)


def test_variances_of_their_own_have_no_limit() -> None:
    model = AROW(max_features=5)
    model.learn_many(cities(50), [0, 1] * 25)
    assert len(model.weights) == 51


@pytest.mark.parametrize("limit", [0, -3, 2.5, "many", True])
def test_a_limit_is_a_whole_number(make: Callable[..., Any], limit: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_features"):
        make(max_features=limit)
