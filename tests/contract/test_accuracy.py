"""Every learner learns: the score of its line in the table, and better than a constant guess."""

from collections import Counter

import numpy as np
import pytest

from .streams import three_labels
from .table import Case

pytestmark = pytest.mark.every_variant


def constant_guess(case: Case, y: np.ndarray) -> float:
    """What somebody reaches who always says the most frequent label or set, or the mean."""
    return Counter(y.tolist()).most_common(1)[0][1] / len(y) if case.takes_labels else 0.0


def reached(case: Case, told: np.ndarray, y: np.ndarray) -> float:
    """Accuracy, or R²."""
    if not case.regresses:
        return float(np.mean([t == target for t, target in zip(told, y, strict=True)]))
    return 1.0 - float(np.mean((told - y) ** 2) / np.var(y))


def test_it_reaches_the_score_of_its_line(case: Case) -> None:
    X, y = case.line.stream()
    if not case.params.get("intercept", True):  # then it is the user who adds a constant
        X = np.column_stack([X, np.ones(len(X))])
    model = case.make(hash_bits=8, hash_seed=0) if case.hashed else case.make()
    score = reached(case, model.predict_learn_many(X, y)[100:], y[100:])
    assert score > constant_guess(case, y[100:])
    assert score >= case.line.score


def test_it_learns_more_than_two_labels(classifier: Case) -> None:
    if not classifier.line.numeric:
        pytest.skip("it learns from names or counts")
    X, y = three_labels()
    model = classifier.make(hash_bits=8, hash_seed=0) if classifier.hashed else classifier.make()
    score = reached(classifier, model.predict_learn_many(X, y)[150:], y[150:])
    assert score > constant_guess(classifier, y[150:]) + 0.1


def test_it_learns_the_same_again(case: Case) -> None:
    """Same parameters, same data, same model."""
    X, y = case.line.stream()
    first, second = case.make(), case.make()
    assert first.predict_learn_many(X, y).tolist() == second.predict_learn_many(X, y).tolist()
