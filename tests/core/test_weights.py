"""Weights: scaled, growing, never beyond the range of floats."""

import itertools
import math

import numpy as np
import pytest

from onstream import LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.persist import dumps, loads


def test_decay_by_a_scalar_is_decay_of_every_weight() -> None:
    """w = c * v, multiplied out when c becomes tiny: the plain computation gives the same."""
    rng = np.random.default_rng(0)
    for gamma in (0.5, 0.99, 1.5, -0.7, 0.0):
        model = Perceptron(gamma=gamma, beta=1e308, intercept=True)
        w, b = np.zeros(4), 0.0
        for i in range(120):
            x = rng.normal(size=4) * (rng.random(4) < 0.6)
            y = i % 2 == 0
            model.learn_one(x, y)
            w = gamma * w + (1.0 if y else -1.0) * x
            b = gamma * b + (1.0 if y else -1.0)
            np.testing.assert_allclose(list(model.weights.values()), w, rtol=1e-9, atol=1e-12)
            assert model.bias == pytest.approx(b, rel=1e-9, abs=1e-12)


def test_decay_of_many_labels() -> None:
    rng = np.random.default_rng(1)
    model = Perceptron(gamma=0.5, beta=1e308, labels=["a", "b", "c"])
    W, bias = np.zeros((3, 4)), np.zeros(3)
    for i in range(100):
        x = rng.normal(size=4)
        scores = W @ x + bias
        label = i % 3
        rival = max((r for r in range(3) if r != label), key=lambda r: (scores[r], -r))
        W, bias = 0.5 * W, 0.5 * bias
        for r, sign in ((label, 0.5), (rival, -0.5)):
            W[r] += sign * x
            bias[r] += sign
        model.learn_one(x, "abc"[label])
        told = np.array([list(model.weights[name].values()) for name in "abc"])
        np.testing.assert_allclose(told, W, rtol=1e-9, atol=1e-12)


def test_l2_is_exact_over_many_steps() -> None:
    rng = np.random.default_rng(2)
    model = LinearRegression(eta=0.1, l2=0.5)
    w, b = np.zeros(3), 0.0
    for _ in range(1000):
        x, y = rng.normal(size=3), rng.normal()
        error = y - (w @ x + b)
        w, b = (1.0 - 0.1 * 0.5) * w + 0.1 * error * x, b + 0.1 * error
        model.learn_one(x, y)
    np.testing.assert_allclose(list(model.weights.values()), w, rtol=1e-9)
    assert model.bias == pytest.approx(b, rel=1e-9)


def test_a_decay_to_nothing() -> None:
    """eta * l2 = 1: every step forgets all weights."""
    model = LogisticRegression(eta=1.0, l2=1.0, intercept=False)
    for i in range(10):
        model.learn_one({f"f{i}": 1.0}, i % 2 == 0)
        assert sum(1 for weight in model.weights.values() if weight) == 1
    assert dumps(loads(dumps(model))) == dumps(model)


def test_growth_stops_before_infinity() -> None:
    """gamma > 1 doubles the weights with each mistake; at the end lessons are refused."""
    for gamma in (2.0, 1e10, -3.0):
        model = Perceptron(gamma=gamma, beta=1e308)
        refused = 0
        for i in range(3000):
            before = dumps(model)
            try:
                model.learn_one({"a": 1.0, "b": -1.0}, i % 2 == 0)
            except ValueError as error:
                told = str(error)
            else:
                assert all(map(math.isfinite, [*model.weights.values(), model.bias]))
                continue
            assert "overflow" in told
            assert dumps(model) == before
            refused += 1
            if refused > 3:
                break
        assert refused > 3
        assert math.isfinite(model.score_one({"a": 1.0, "b": 1.0}))
        assert math.isfinite(model.score_one({"a": 1.7e308, "b": 1.7e308}))
        assert dumps(loads(dumps(model))) == dumps(model)


def test_scores_saturate() -> None:
    model = LinearRegression(eta=1.0, intercept=False)
    model.learn_one({"a": 1e100, "b": 1e-5}, 1e50)
    weight = model.weights["a"]
    assert weight == pytest.approx(1e150)
    assert model.score_one({"a": 1e200}) == 1.7976931348623157e308
    assert model.score_one({"a": -1e200}) == -1.7976931348623157e308
    assert model.score_many([{"a": 1e200}, {"a": 1.0}]).tolist() == [1.7976931348623157e308, weight]
    assert model.score_one({"a": 1e200, "b": -1.0}) == 1.7976931348623157e308


def test_no_score_is_minus_zero() -> None:
    """eta * l2 > 1 makes the scale negative; nothing times that is nothing."""
    model = LogisticRegression(eta=0.1, l2=15.0, intercept=False)
    for label in (0, 1, 1):
        model.learn_one({"a": 1.0}, label)
    for score in (model.score_one({}), *model.score_many([{}, {}])):
        assert math.copysign(1.0, score) == 1.0


def test_large_terms_that_cancel() -> None:
    """Partial sums may overflow where the result does not."""
    model = LinearRegression(eta=1.0, intercept=False)
    model.learn_one({"a": 1e100, "b": 1e100, "c": -1e100, "d": -1e100, "e": 3.0}, 1.0)
    x = {"a": 1.5e208, "c": 1.5e208, "b": 1.5e208, "d": 1.5e208}
    assert model.score_one(x) == 0.0
    assert model.score_many([x, {"e": 1.0}]).tolist() == [0.0, 3.0]
    assert model.score_one({"a": 1.5e208, "b": 1.5e208, "c": 1.5e208}) == pytest.approx(1.5e308)


def test_dense_and_sparse_rows_give_the_same_bits() -> None:
    """The same features in the same order, with ids or without."""
    rng = np.random.default_rng(3)
    for n in itertools.chain(range(1, 20), [31, 32, 33, 100]):
        X = rng.normal(size=(30, n))
        y = X[:, 0] > 0.0
        dense, mapped = PAClassifier(), PAClassifier()
        dense.learn_many(X, y)
        mapped.learn_many([dict(enumerate(row)) for row in X.tolist()], y)
        assert list(dense.weights.values()) == list(mapped.weights.values())
        mixed = dict(enumerate(X[0].tolist())) | {"other": 1.0}  # not contiguous: with ids
        assert dense.score_one(mixed) == dense.score_one(X[0])


@pytest.mark.parametrize("k", [3, 5, 9, 20, 24, 25, 32, 33, 38, 105])
def test_many_labels_add_feature_after_feature(k: int) -> None:
    """Whatever the number of labels and features: the plain sum, bit for bit, and one lesson for
    every kind of row."""
    rng = np.random.default_rng(k)
    labels = list(range(k))
    for n in (1, 2, 3, 4, 5, 7, 8, 11):
        X, y = rng.normal(size=(40, n)), rng.integers(k, size=40)
        X[rng.random(X.shape) < 0.1] = 0.0
        mappings = [dict(enumerate(row)) for row in X.tolist()]
        dense, mapped = (
            LogisticRegression(labels=labels, intercept=False, scale=None) for _ in range(2)
        )
        dense.learn_many(X, y)
        mapped.learn_many(mappings, y)
        weights = np.array([list(dense.weights[r].values()) for r in labels])
        np.testing.assert_array_equal(weights, [list(mapped.weights[r].values()) for r in labels])
        for x, row in zip(X[:5], mappings[:5], strict=True):
            plain = [0.0] * k
            for i in range(n):
                plain = [total + x[i] * weights[r, i] for r, total in enumerate(plain)]
            assert list(dense.score_one(x).values()) == plain
            assert list(dense.score_one(row).values()) == plain
            others = row | {"other": 1.0}  # not contiguous: with ids
            assert list(dense.score_one(others).values()) == plain


def test_declared_labels_leave_no_room() -> None:
    """All labels are known: no columns are kept for others."""
    model = LogisticRegression(labels=list(range(105)), scale=None)
    model.learn_many(np.eye(1000), np.arange(1000) % 105)
    assert model.memory_bytes < 1000 * 112 * 8 + 20_000


def test_labels_beyond_the_room() -> None:
    """Columns are added many times; rows are added in between; nothing gets mixed up."""
    model = PAClassifier(intercept=False)
    for i in range(60):
        model.learn_one({f"f{i}": 1.0}, f"label {i}")
    for i in range(60):
        weights = model.weights[f"label {i}"]
        assert len(weights) == 60
        assert weights[f"f{i}"] > 0.0
        assert model.predict_one({f"f{i}": 1.0}) == f"label {i}"


def test_a_tiny_norm_is_no_division_by_zero() -> None:
    for variant in ("PA", "PA-I", "PA-II"):
        model = PAClassifier(variant=variant, intercept=False)
        for value in (0.0, 5e-324, 1e-200, 1e-160):
            try:
                model.learn_one({"a": value}, True)
            except ValueError as error:
                told = str(error)
                assert "overflow" in told
            assert math.isfinite(model.score_one({"a": 1.0}))


def test_labels_that_come_late_leave_the_weights_of_the_others() -> None:
    """Rows are moved whenever columns are added; those of zeros only are left out."""
    model = PAClassifier(hash_bits=12, intercept=False)
    x = {"a": 1.0, "b": -2.0, "c": 0.5}
    for y in range(4):
        model.learn_one({"a": 1.0, "b": y, "c": -1.0}, y)
    before = model.score_one(x)
    for y in range(4, 300):
        model.learn_one({f"word {y}": 1.0}, y)
        told = model.score_one(x)
        assert {label: told[label] for label in range(4)} == before
        assert len(told) == y + 1
