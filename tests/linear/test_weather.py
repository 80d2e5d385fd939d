"""A real stream: does each learner predict rain better than a constant guess?"""

import numpy as np
import pytest

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.datasets import noaa_weather

DRY = 0.3138  # error rate of always saying "no rain"


@pytest.fixture(scope="module")
def weather():
    X, y = noaa_weather()
    return (X - np.mean(X, axis=0)) / np.std(X, axis=0), y


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        (Perceptron(), 0.27),
        (PAClassifier(C=0.01), 0.24),
        (PAClassifier(variant="PA"), 0.27),
        (PAClassifier(variant="PA-II", C=0.01), 0.23),
        (LogisticRegression(), 0.23),
    ],
    ids=str,
)
def test_classifiers_foretell_rain(model, limit, weather):
    X, y = weather
    assert np.mean(model.clone().predict_learn_many(X, y) != y) < limit < DRY


@pytest.mark.parametrize(
    "model", [LinearRegression(eta=0.05, normalized=True), RLS(), RLS(forgetting=0.999)], ids=str
)
def test_regressors_foretell_rain(model, weather):
    X, y = weather
    predicted = model.clone().predict_learn_many(X, 2.0 * y - 1.0)
    assert np.mean((predicted >= 0.0) != (y == 1)) < 0.24
