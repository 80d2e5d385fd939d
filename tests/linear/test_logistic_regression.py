import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream import LogisticRegression

from ..oracles import logistic_regression as oracle
from ..oracles.rates import BY_HAND
from ..oracles.side_by_side import (
    KINDS,
    eighths,
    follow,
    form,
    labelled,
    multiclass_blocks,
    quick,
    rows,
    signed_blocks,
)

SCHEDULES = ("constant", "power", "inverse", "sqrt")


def trained(model, d, n=40, seed=0, labels=(0, 1)):
    for x, y, _ in labelled(np.random.default_rng(seed), n, d, list(labels), noise=1.0):
        model.learn_one(x, y)
    return model


def differences(function, w, h=1e-5):
    """Central differences of a function of an array."""
    gradient = np.zeros_like(w)
    for at in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[at] = h
        gradient[at] = (function(w + step) - function(w - step)) / (2.0 * h)
    return gradient


# -- one step -------------------------------------------------------------------------------------


def test_first_step_by_hand():
    model = LogisticRegression(scale=None)
    model.learn_one({"a": 2.0}, 1)  # p = 1/2
    assert (model.weights, model.bias) == ({"a": 0.1}, 0.05)
    assert model.predict_proba_one({"a": 2.0}) == {1: 1.0}  # one label is all there is
    model.learn_one({"a": -1.0}, 0)  # p = 1 / (1 + e^0.05)
    p = 1.0 / (1.0 + math.exp(0.05))  # bits of NumPy's exp change with its release
    assert model.weights["a"] == pytest.approx(0.1 + 0.1 * p, rel=1e-15, abs=0.0)
    assert model.bias == pytest.approx(0.05 - 0.1 * p, rel=1e-15, abs=0.0)


def test_probabilities_are_the_sigmoid_of_the_score():
    model = trained(LogisticRegression(eta=1.0), 4, labels=["n", "p"])
    n, p = model.labels
    for x in np.random.default_rng(1).normal(size=(50, 4)):
        score, found = model.score_one(x), model.predict_proba_one(x)
        assert found[p] == pytest.approx(1.0 / (1.0 + np.exp(-score)), rel=1e-14, abs=0.0)
        assert found[n] == pytest.approx(1.0 / (1.0 + np.exp(score)), rel=1e-14, abs=0.0)
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("y", [0, 1])
def test_gradient_by_differences(y, intercept, l2):
    """(new w - w) / eta is the slope of log-likelihood - l2/2 |w|^2, intercept not penalised."""
    eta = 0.25
    model = trained(LogisticRegression(eta=eta, l2=l2, intercept=intercept), 4)
    x = np.array([0.5, -1.5, 2.0, 0.25])
    w = rows(model, 4)[0]
    extended = np.append(x, 1.0) if intercept else x

    def objective(v):
        penalty = 0.5 * l2 * (v[:4] @ v[:4])
        return oracle.log_likelihood(v, extended, 1.0 if y else -1.0) - penalty

    model.learn_one(x, y)
    moved = (rows(model, 4)[0] - w) / eta
    np.testing.assert_allclose(moved, differences(objective, w), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("right", [0, 1, 2])
def test_softmax_gradient_by_differences(right, intercept, l2):
    eta = 0.25
    model = LogisticRegression(eta=eta, l2=l2, intercept=intercept, labels=[0, 1, 2])
    model = trained(model, 4, labels=[0, 1, 2])
    x = np.array([0.5, -1.5, 2.0, 0.25])
    W = rows(model, 4)
    extended = np.append(x, 1.0) if intercept else x

    def objective(V):
        penalty = 0.5 * l2 * np.sum(V[:, :4] ** 2)
        return oracle.softmax_log_likelihood(V, extended, right) - penalty

    model.learn_one(x, right)
    moved = (rows(model, 4) - W) / eta
    np.testing.assert_allclose(moved, differences(objective, W), rtol=1e-8, atol=1e-9)


def test_softmax_first_step_by_hand():
    model = LogisticRegression(labels=["a", "b", "c"], eta=0.3)
    model.learn_one({"x": 2.0}, "b")  # p = 1/3 each
    for label, share in {"a": -1 / 3, "b": 2 / 3, "c": -1 / 3}.items():
        assert model.weights[label]["x"] == pytest.approx(0.6 * share, rel=1e-15, abs=0.0)
        assert model.bias[label] == pytest.approx(0.3 * share, rel=1e-15, abs=0.0)


# -- where it converges ---------------------------------------------------------------------------


def noisy(rng, n, d):
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 1.5, d)
    y = (X @ rng.normal(size=d) + 0.4 + rng.logistic(size=n) > 0.0).astype(int)
    return X, y


@pytest.mark.parametrize("intercept", [False, True])
def test_converges_to_newtons_solution(intercept):
    """Over epochs, to the maximum of mean log-likelihood - l2/2 |w|^2."""
    X, y = noisy(np.random.default_rng(2), 200, 3)
    extended = np.hstack([X, np.ones((200, 1))]) if intercept else X
    solution = oracle.newton(extended, y, 0.1, free=[3] if intercept else [])
    model = LogisticRegression(eta=0.5, schedule="inverse", l2=0.1, intercept=intercept)
    model.fit(X, y, epochs=2_000)
    np.testing.assert_allclose(rows(model, 3)[0], solution, rtol=0.0, atol=2e-3)
    # Far from what another reading of the penalty would give.
    other = oracle.newton(extended, y, 0.1 / 200, free=[3] if intercept else [])
    assert np.max(np.abs(solution - other)) > 0.1


def test_converges_to_maximum_likelihood():
    X, y = noisy(np.random.default_rng(3), 200, 3)
    solution = oracle.newton(np.hstack([X, np.ones((200, 1))]), y, 0.0)
    model = LogisticRegression(eta=1.0, schedule="power", power=0.75)
    model.fit(X, y, epochs=2_000)
    np.testing.assert_allclose(rows(model, 3)[0], solution, rtol=0.0, atol=1e-2)


def test_separable_data_make_the_weights_grow_without_limit():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    model = LogisticRegression(intercept=False)
    sizes = []
    for _ in range(12):  # twice as many epochs each time
        model.learn_many(
            np.tile(X, (max(1, model.seen // 2), 1)), np.tile(y, max(1, model.seen // 2))
        )
        sizes.append(model.weights[0])
    growth = np.diff(sizes)
    assert np.all(growth > 0.0)
    # w ~ ln(t): every doubling adds about ln 2, for ever.
    np.testing.assert_allclose(growth[-4:], np.log(2.0), rtol=0.05)


def test_l2_bounds_the_weights_on_separable_data():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    model = LogisticRegression(intercept=False, l2=0.05)
    sizes = []
    for _ in range(20_000 // 2):
        model.learn_many(X, y)
        sizes.append(model.weights[0])
    assert max(sizes) <= 1.0 / 0.05  # |w| <= R / l2 always
    solution = oracle.newton(X, y, 0.05)[0]
    assert sizes[-1] == pytest.approx(solution, rel=0.01, abs=0.0)
    assert sizes[-1] == pytest.approx(sizes[-1000], abs=1e-12)


@quick
@given(signed_blocks(), st.sampled_from([0.1, 0.5, 2.0]))
def test_l2_bounds_the_weights_on_any_data(block, l2):
    X, y = block
    model = LogisticRegression(intercept=False, l2=l2, eta=0.4)
    R = np.sqrt(np.max(np.sum(X**2, axis=1)))
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        assert np.linalg.norm(rows(model, len(x))[0]) <= R / l2 * (1.0 + 1e-12)


def test_the_intercept_does_not_decay():
    model = LogisticRegression(l2=0.5)
    model.learn_one({"a": 1.0}, 1)
    weight, bias = model.weights["a"], model.bias
    model.learn_one({"a": 0.0}, 1)
    p = 1.0 / (1.0 + np.exp(-bias))
    assert model.weights["a"] == pytest.approx((1.0 - 0.1 * 0.5) * weight, rel=1e-15, abs=0.0)
    assert model.bias == pytest.approx(bias + 0.1 * (1.0 - p), rel=1e-15, abs=0.0)


@quick
@given(signed_blocks(most_rows=40), st.data(), st.sampled_from([0.01, 0.1, 1.0]), st.booleans())
def test_regret_of_a_constant_rate(block, data, eta, intercept):
    """Sum of loss(w_t) - loss(u) <= |u|^2 / (2 eta) + eta/2 sum |g_t|^2, for any u."""
    X, y = block
    extended = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    u = data.draw(eighths(extended.shape[1]))
    model = LogisticRegression(eta=eta, intercept=intercept)
    margins = y * model.predict_learn_many(X, y, output="score")
    regret = np.sum(np.logaddexp(0.0, -margins)) - np.sum(np.logaddexp(0.0, -y * (extended @ u)))
    slopes = oracle.expit(-margins)
    bound = (u @ u) / (2.0 * eta) + 0.5 * eta * np.sum(slopes**2 * np.sum(extended**2, axis=1))
    assert regret <= bound * (1.0 + 1e-12) + 1e-9


# -- large scores ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e4, 1e100])
def test_no_overflow_at_large_scores(size):
    model = LogisticRegression(eta=2.0 * size, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    assert model.score_one({"a": 1.0}) == size
    model.learn_one({"a": 1.0}, 1)  # certain and right: nothing to learn
    assert model.weights == {"a": size}
    model.learn_one({"a": -1.0}, 0)
    assert model.weights == {"a": size}
    assert model.predict_proba_one({"a": 1.0}) == {1: 1.0, 0: 0.0}
    assert model.predict_proba_one({"a": -1.0}) == {1: 0.0, 0: 1.0}
    model.learn_one({"a": 1.0}, 0)  # certain and wrong: the whole step
    assert model.weights == {"a": -size}


@pytest.mark.parametrize("size", [1e4, 1e100])
def test_no_overflow_at_large_scores_with_more_labels(size):
    model = LogisticRegression(eta=1.5 * size, intercept=False, labels=["a", "b", "c"])
    model.learn_one({"x": 1.0}, "a")
    top = model.score_one({"x": 1.0})["a"]
    assert top == pytest.approx(size, rel=1e-14, abs=0.0)
    model.learn_one({"x": 1.0}, "a")
    assert model.score_one({"x": 1.0})["a"] == top
    assert model.predict_proba_one({"x": 1.0}) == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert model.predict_proba_one({"x": -1.0}) == {"a": 0.0, "b": 0.5, "c": 0.5}
    model.learn_one({"x": 1.0}, "b")
    assert model.predict_proba_one({"x": 1.0}) == {"a": 0.0, "b": 1.0, "c": 0.0}


def test_small_probabilities_keep_their_digits():
    model = LogisticRegression(eta=100.0, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"b": 1.0}, 0)
    assert model.predict_proba_one({"a": 1.0})[0] == pytest.approx(
        np.exp(-50.0), rel=1e-12, abs=0.0
    )
    assert model.predict_proba_one({"a": -1.0})[1] == pytest.approx(
        np.exp(-50.0), rel=1e-12, abs=0.0
    )


# -- learning rates -------------------------------------------------------------------------------


@pytest.mark.parametrize(("schedule", "rates"), BY_HAND.items())
def test_schedule(schedule, rates):
    """A new feature alone: p = 1/2, so its weight is half the rate (and shrinks afterwards)."""
    l2 = 0.5 if schedule == "inverse" else 0.0
    model = LogisticRegression(eta=0.4, schedule=schedule, power=0.75, l2=l2, intercept=False)
    for n, rate in enumerate(rates):
        model.learn_one({n: 1.0}, 1)
        assert model.weights[n] == pytest.approx(rate / 2.0, rel=1e-14, abs=0.0)


def test_the_schedule_goes_on_after_init_or_restarts():
    parameters = {"eta": 0.4, "schedule": "sqrt", "intercept": False}
    model = LogisticRegression(**parameters)
    for n in range(3):
        model.learn_one({n: 1.0}, 1)
    going_on = LogisticRegression(**parameters, init=model)
    restarted = LogisticRegression(**parameters, init=model)
    restarted.reset_schedule()
    going_on.learn_one({3: 1.0}, 1)
    restarted.learn_one({3: 1.0}, 1)
    assert going_on.weights[3] == pytest.approx(0.1, rel=1e-15, abs=0.0)
    assert restarted.weights[3] == pytest.approx(0.2, rel=1e-15, abs=0.0)


# -- more than two labels -------------------------------------------------------------------------


@quick
@given(signed_blocks(), st.sampled_from([0.01, 0.05, 0.2]), st.booleans(), st.booleans())
def test_two_label_softmax_is_logistic_with_a_doubled_rate(block, eta, intercept, first):
    """The reference's rows W1, W0 of softmax at eta; the model is logistic at 2 eta."""
    X, y = block
    d = X.shape[1]
    model = LogisticRegression(
        eta=2.0 * eta, intercept=intercept, labels=[-1, 1] if first else None
    )
    W = np.zeros((2, d + intercept))
    largest = 0.0
    for x, label in zip(X, y, strict=True):
        extended = np.append(x, 1.0) if intercept else x
        model.learn_one(x, label)
        W = W + eta * np.outer(oracle.softmax_gradient(W @ extended, int(label > 0)), extended)
        largest = max(largest, np.max(np.abs(W)))
        difference = np.max(np.abs(rows(model, d)[0] - (W[1] - W[0])))
        assert difference <= 1e-12 * largest


def test_promotion_keeps_the_sigmoid():
    model = trained(LogisticRegression(eta=1.0), 4, labels=["n", "p"])
    n, p = model.labels
    w = rows(model, 4)[0]
    split = LogisticRegression(eta=1.0, init=model, labels=["third"])
    np.testing.assert_array_equal(rows(split, 4), [-w / 2.0, w / 2.0, 0.0 * w])
    for x in np.random.default_rng(4).normal(size=(100, 4)):
        before, after = model.predict_proba_one(x), split.predict_proba_one(x)
        assert after[p] / (after[n] + after[p]) == pytest.approx(before[p], rel=1e-12, abs=0.0)
        assert after[n] / (after[n] + after[p]) == pytest.approx(before[n], rel=1e-12, abs=0.0)
        assert split.predict_one(x) == model.predict_one(x)


def test_promotion_goes_on_as_softmax_with_the_same_rate():
    model = trained(LogisticRegression(eta=0.3), 4, labels=["n", "p"])
    W = np.vstack([-rows(model, 4) / 2.0, rows(model, 4) / 2.0, np.zeros((1, 5))])
    x = np.array([1.0, -0.5, 2.0, 0.0])
    extended = np.append(x, 1.0)
    model.learn_one(x, "third")
    W = W + 0.3 * np.outer(oracle.softmax_gradient(W @ extended, 2), extended)
    np.testing.assert_allclose(rows(model, 4), W, rtol=1e-13)


@quick
@given(multiclass_blocks(), eighths(4))
def test_rows_of_softmax_add_up_to_zero(block, x):
    """Each step adds to one row what it takes from the others."""
    X, y = block
    model = LogisticRegression(labels=[0, 1, 2, 3])
    model.learn_many(X, y)
    np.testing.assert_allclose(np.sum(rows(model, X.shape[1]), axis=0), 0.0, atol=1e-13)
    found = model.predict_proba_one(np.resize(x, X.shape[1]))
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-14)
    assert all(p >= 0.0 for p in found.values())


# -- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["n", "p"], list("abcd")], ids=["binary", "multiclass"])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("l2", [0.0, 0.02])
def test_equals_the_reference(schedule, l2, labels, kind):
    if schedule == "inverse" and l2 == 0.0:
        l2 = 0.5
    parameters = {"eta": 0.3, "schedule": schedule, "power": 0.7, "l2": l2}
    stream = labelled(np.random.default_rng(5), 300, 6, labels, noise=0.5, weighted=True)
    model, reference = LogisticRegression(**parameters), oracle.LogisticRegression(6, **parameters)
    follow(model, reference, stream, kind)
    for x, _, _ in stream[:50]:
        found, expected = model.predict_proba_one(form(x, kind)), reference.probabilities(x)
        assert list(found) == list(expected)
        np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-10)


@pytest.mark.parametrize("l2", [3.0, 10.0, 25.0])
def test_a_penalty_that_turns_the_weights_round_still_equals_the_reference(l2):
    """1 - eta l2 is 0.7, 0 or negative: strange, but defined."""
    parameters = {"eta": 0.1, "l2": l2}
    stream = labelled(np.random.default_rng(6), 100, 3, [0, 1], noise=0.5)
    follow(
        LogisticRegression(**parameters),
        oracle.LogisticRegression(3, **parameters),
        stream,
        "dense",
    )


@quick
@given(
    signed_blocks(limit=2),
    st.sampled_from(SCHEDULES),
    st.sampled_from([0.01, 0.5]),
    st.booleans(),
    st.sampled_from(KINDS),
)
def test_equals_the_reference_on_any_stream(block, schedule, l2, intercept, kind):
    X, y = block
    parameters = {"eta": 0.1, "schedule": schedule, "l2": l2, "intercept": intercept}
    stream = [(x, int(label), 1.0) for x, label in zip(X, y, strict=True)]
    reference = oracle.LogisticRegression(X.shape[1], **parameters)
    follow(LogisticRegression(**parameters), reference, stream, kind)


@quick
@given(
    multiclass_blocks(limit=2), st.sampled_from(SCHEDULES), st.booleans(), st.sampled_from(KINDS)
)
def test_softmax_equals_the_reference_on_any_stream(block, schedule, intercept, kind):
    X, y = block
    parameters = {"eta": 0.1, "schedule": schedule, "l2": 0.05, "intercept": intercept}
    stream = [(x, int(label), 1.0) for x, label in zip(X, y, strict=True)]
    reference = oracle.LogisticRegression(X.shape[1], **parameters)
    follow(LogisticRegression(**parameters), reference, stream, kind)
