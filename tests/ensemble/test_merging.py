"""Bagging is merged member by member, if its members can be."""

from typing import Any

import numpy as np
import pytest

from onstream import NotMergeable
from onstream.bayes import GaussianNB
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    ADWINBoosting,
    LeveragingBagging,
    OnlineBagging,
)
from onstream.features import StandardScaler
from onstream.linear import LinearRegression, LogisticRegression, PAClassifier
from onstream.neighbors import KNNClassifier
from onstream.tree import HoeffdingTreeClassifier

from ..oracles.ensembles import draws

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
Y = np.where(X[:, 0] + X[:, 1] > 0.0, "yes", "no")


def parts(model: Any, y: Any = Y) -> tuple[Any, Any]:
    """Two of them, each with another part of the rows."""
    one, other = model, model.clone()
    one.learn_many(X[:100], y[:100])
    other.learn_many(X[100:], y[100:])
    return one, other


@pytest.mark.parametrize("learner", [GaussianNB(), PAClassifier(), StandardScaler() | GaussianNB()])
def test_each_member_is_merged_as_it_is_alone(learner: Any) -> None:
    a, b = parts(OnlineBagging(learner, n_models=3))
    a.merge(b)
    expected = np.zeros((len(X), 2))
    for i in range(3):
        times = draws(0, i, 1.0, 200)
        one, other = learner.clone(), learner.clone()
        for t in range(100):
            if times[t]:
                one.learn_one(X[t], Y[t], times[t])
        for t in range(200):
            if times[t]:
                other.learn_one(X[100 + t], Y[100 + t], times[t])
        one.merge(other)
        order = [one.labels.index(label) for label in a.labels]
        if hasattr(one, "predict_proba_many"):
            expected += one.predict_proba_many(X)[:, order] / 3
        else:
            expected += (one.predict_many(X)[:, None] == np.array(a.labels)) / 3
    np.testing.assert_allclose(a.predict_proba_many(X), expected, atol=1e-12)
    assert a.seen == 300


def test_members_of_several_kinds_labels_and_features_of_either_side() -> None:
    a = OnlineBagging([GaussianNB(), HoeffdingTreeClassifier()])
    with pytest.raises(NotMergeable, match=r"OnlineBagging: .*HoeffdingTreeClassifier"):
        a.merge(a.clone())
    a = OnlineBagging([LogisticRegression(), PAClassifier()])
    b = a.clone()
    a.learn_many([{"x": 1.0}, {"x": -1.0}] * 20, ["up", "down"] * 20)
    b.learn_many([{"z": 1.0}, {"z": -1.0}] * 20, ["left", "right"] * 20)
    a.merge(b)
    assert a.labels == ["up", "down", "left", "right"]
    assert [a.predict_one(x) for x in ({"x": 9.0}, {"z": 9.0})] == ["up", "left"]
    a.learn_many([{"x": 1.0, "z": 1.0}], ["left"])


def test_numbers_behind_a_pipeline() -> None:
    y = X @ np.array([1.0, 2.0, 0.0, -1.0])
    a, b = parts(StandardScaler() | OnlineBagging(LinearRegression(), n_models=2), y)
    a.merge(b)
    assert a.seen == 300
    assert float(np.mean((a.predict_many(X) - y) ** 2)) < 0.2 * y.var()


@pytest.mark.parametrize(
    "model",
    [
        OnlineBagging(KNNClassifier(), n_models=2),
        OnlineBagging([GaussianNB(), LogisticRegression()]),
        LeveragingBagging(GaussianNB(), n_models=2),
        ADWINBoosting(GaussianNB(), n_models=2),
        AdaptiveRandomForestClassifier(n_models=2),
    ],
)
def test_what_cannot_be_merged_says_why_and_stays(model: Any) -> None:
    a, b = parts(model)
    before = a.score_many(X)
    with pytest.raises(NotMergeable, match=type(a).__name__ + ".* cannot be merged"):
        a.merge(b)
    np.testing.assert_array_equal(a.score_many(X), before)
