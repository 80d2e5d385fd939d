"""The importance weight of an example, over the five linear learners."""

import math

import numpy as np
import pytest

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.persist import dumps

from ..oracles.side_by_side import labelled, measured, rows

MODELS = {
    "perceptron": lambda **more: Perceptron(**more),
    "pa": lambda **more: PAClassifier(variant="PA", **more),
    "pa1": lambda **more: PAClassifier(variant="PA-I", C=0.3, **more),
    "pa2": lambda **more: PAClassifier(variant="PA-II", C=0.3, **more),
    "logistic": lambda **more: LogisticRegression(l2=0.01, schedule="sqrt", **more),
    "regression": lambda **more: LinearRegression(l2=0.01, schedule="sqrt", **more),
    "rls": lambda **more: RLS(forgetting=0.99, **more),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def stream_for(model, n=60, seed=0, labels=("a", "b")):
    rng = np.random.default_rng(seed)
    if hasattr(model, "labels"):
        return labelled(rng, n, 4, list(labels), noise=0.5)
    return measured(rng, n, 4)


def learn(model, stream, w=1.0):
    for x, y, _ in stream:
        model.learn_one(x, y, w)
    return model


# -- rules for all --------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_zero_changes_nothing_at_all(make, labels):
    model = make()
    stream = stream_for(model, labels=labels)
    for x, y, _ in stream:
        before = dumps(model)
        model.learn_one(x, y, 0.0)
        assert dumps(model) == before
        model.learn_one(x, y)
        assert dumps(model) != before
    X, y = np.array([x for x, _, _ in stream]), [y for _, y, _ in stream]
    before, seen = dumps(model), model.seen
    model.learn_many(X, y, np.zeros(len(X)))
    model.learn_one({"never seen": 1.0}, stream[0][1], 0.0)
    if hasattr(model, "labels"):
        model.learn_one(X[0], "never seen", 0.0)
    assert dumps(model) == before
    assert model.seen == seen


@every_model
@pytest.mark.parametrize("w", [-1.0, -1e-300, math.nan, math.inf, -math.inf])
def test_negative_and_non_finite_are_refused(make, w):
    model = make()
    stream = stream_for(model)
    learn(model, stream)
    x, y, _ = stream[0]
    before = dumps(model)
    with pytest.raises(ValueError, match="weight"):
        model.learn_one(x, y, w)
    with pytest.raises(ValueError, match=r"row 1: .*weight"):
        model.learn_many(np.array([x, x, x]), [y, y, y], [1.0, w, 1.0])
    with pytest.raises(ValueError, match=r"row 2: .*weight"):
        model.predict_learn_many(np.array([x, x, x]), [y, y, y], [1.0, 0.0, w])
    assert dumps(model) == before


@every_model
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_one_is_the_same_as_none(make, labels):
    told, untold, many = make(), make(), make()
    stream = stream_for(told, labels=labels)
    learn(told, stream, 1.0)
    for x, y, _ in stream:
        untold.learn_one(x, y)
    many.learn_many(
        np.array([x for x, _, _ in stream]), [y for _, y, _ in stream], np.ones(len(stream))
    )
    assert dumps(told) == dumps(untold) == dumps(many)


@every_model
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_many_takes_a_weight_per_row(make, labels):
    one, many = make(), make()
    stream = stream_for(one, labels=labels)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.5], size=len(stream))
    for (x, y, _), w in zip(stream, weights, strict=True):
        one.learn_one(x, y, w)
    many.learn_many(np.array([x for x, _, _ in stream]), [y for _, y, _ in stream], weights)
    assert dumps(one) == dumps(many)
    assert one.seen == np.sum(weights > 0.0)


# -- what it multiplies ---------------------------------------------------------------------------


@pytest.mark.parametrize("labels", ["ab", "abc"])
@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
def test_pa_multiplies_c(variant, labels):
    weighted = PAClassifier(variant=variant, C=0.125)
    stream = stream_for(weighted, labels=labels)
    learn(weighted, stream, 4.0)
    assert weighted.weights == learn(PAClassifier(variant=variant, C=0.5), stream).weights
    assert weighted.weights != learn(PAClassifier(variant=variant, C=0.125), stream).weights


@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_plain_pa_ignores_it(labels):
    weighted = PAClassifier(variant="PA")
    stream = stream_for(weighted, labels=labels)
    learn(weighted, stream, 1e-9)
    assert dumps(weighted) == dumps(learn(PAClassifier(variant="PA"), stream))


@pytest.mark.parametrize("labels", ["ab", "abc"])
@pytest.mark.parametrize("parameters", [{}, {"beta": 0.5, "gamma": 0.875}], ids=str)
def test_perceptron_multiplies_the_step(parameters, labels):
    """The step, and neither beta nor gamma."""
    weighted = Perceptron(alpha=0.5, **parameters)
    stream = stream_for(weighted, labels=labels)
    learn(weighted, stream, 4.0)
    expected = learn(Perceptron(alpha=2.0, **parameters), stream)
    assert weighted.weights == expected.weights
    assert weighted.updates == expected.updates
    assert weighted.weights != learn(Perceptron(alpha=0.5, **parameters), stream).weights


@pytest.mark.parametrize("labels", ["ab", "abc"])
@pytest.mark.parametrize("schedule", ["constant", "sqrt"])
def test_logistic_regression_multiplies_the_gradient(schedule, labels):
    weighted = LogisticRegression(eta=0.125, schedule=schedule)
    stream = stream_for(weighted, labels=labels)
    learn(weighted, stream, 4.0)
    expected = learn(LogisticRegression(eta=0.5, schedule=schedule), stream)
    np.testing.assert_allclose(rows(weighted, 4), rows(expected, 4), rtol=1e-13)


@pytest.mark.parametrize("normalized", [False, True])
def test_linear_regression_multiplies_the_gradient(normalized):
    weighted = LinearRegression(eta=0.0125, normalized=normalized)
    stream = stream_for(weighted)
    learn(weighted, stream, 4.0)
    expected = learn(LinearRegression(eta=0.05, normalized=normalized), stream)
    np.testing.assert_allclose(rows(weighted, 4), rows(expected, 4), rtol=1e-13)


def test_decay_is_not_multiplied():
    regression = LinearRegression(eta=0.5, l2=0.25)
    regression.learn_one({"a": 1.0}, 2.0)
    regression.learn_one({"b": 1.0}, 1.0, 1_000.0)  # predicted 1: no gradient, one decay
    assert (regression.weights, regression.bias) == ({"a": 0.875, "b": 0.0}, 1.0)
    logistic = LogisticRegression(eta=0.5, l2=0.25, intercept=False)
    logistic.learn_one({"a": 4.0}, 1)
    assert logistic.weights == {"a": 1.0}
    logistic.learn_one({}, 1, 1_000.0)
    assert logistic.weights == {"a": 0.875}
    softmax = LogisticRegression(eta=0.75, l2=0.25, intercept=False, labels=["a", "b", "c"])
    softmax.learn_one({"x": 2.0}, "a")
    weight = softmax.weights["a"]["x"]
    softmax.learn_one({}, "a", 1_000.0)
    assert softmax.weights["a"]["x"] == pytest.approx(
        (1.0 - 0.75 * 0.25) * weight, rel=1e-15, abs=0.0
    )


def test_rls_puts_it_into_the_gain():
    """g = w P x / (mu + w x'P x), lam = 1, mu = 0.5, w = 3, x = 2: g = 6 / 12.5."""
    model = RLS(forgetting=0.5, intercept=False)
    model.learn_one({"a": 2.0}, 5.0, 3.0)
    assert model.weights["a"] == pytest.approx(5.0 * 6.0 / 12.5, rel=1e-15, abs=0.0)
    assert model.P[0, 0] == pytest.approx((1.0 - 6.0 / 12.5 * 2.0) / 0.5, rel=1e-14, abs=0.0)


def test_a_rate_counts_examples_not_their_weights():
    model = LinearRegression(eta=0.5, schedule="sqrt", intercept=False)
    model.learn_one({"a": 1.0}, 1.0, 3.0)
    model.learn_one({"skipped": 1.0}, 1.0, 0.0)
    model.learn_one({"b": 1.0}, 1.0)
    assert model.weights["b"] == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-15, abs=0.0)
