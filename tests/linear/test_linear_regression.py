import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream import LinearRegression

from ..oracles import linear_regression as oracle
from ..oracles.rates import BY_HAND
from ..oracles.rls import ridge
from ..oracles.side_by_side import KINDS, blocks, eighths, follow, measured, quick, rows

SCHEDULES = ("constant", "power", "inverse", "sqrt")


def trained(model, d, n=40, seed=0):
    for x, y, _ in measured(np.random.default_rng(seed), n, d, noise=1.0):
        model.learn_one(x, y)
    return model


def noisy(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.7 + 0.3 * rng.normal(size=n)


# -- one step -------------------------------------------------------------------------------------


def test_steps_by_hand():
    model = LinearRegression(eta=0.25)
    assert model.predict_one({"a": 2.0}) == 0.0
    model.learn_one({"a": 2.0}, 4.0)
    assert (model.weights, model.bias) == ({"a": 2.0}, 1.0)
    model.learn_one({"a": 1.0, "b": -1.0}, 5.0)  # predicted 3
    assert (model.weights, model.bias) == ({"a": 2.5, "b": -0.5}, 1.5)


@quick
@given(blocks(limit=1), eighths(4, limit=1), eighths(1), st.sampled_from([0.01, 0.1, 0.3]))
def test_error_after_a_step(X, x, target, eta):
    """On the same x it is (1 - eta |x|^2)(y - o), where |x|^2 has the intercept's 1 in it."""
    y = float(target[0])
    for intercept in (False, True):
        model = LinearRegression(eta=eta, intercept=intercept)
        model.learn_many(np.resize(X, (len(X), 4)), X[:, 0])
        error = y - model.predict_one(x)
        model.learn_one(x, y)
        expected = (1.0 - eta * (x @ x + intercept)) * error
        assert abs(y - model.predict_one(x) - expected) <= 1e-13 * max(1.0, abs(error), abs(y))


def test_learns_even_when_nearly_right_and_stops_only_at_the_target():
    model = LinearRegression(eta=0.1, intercept=False)
    model.learn_one({"a": 1.0}, 1.0)
    model.learn_one({"a": 1.0}, 0.1)  # predicted exactly that
    assert model.weights == {"a": 0.1}
    model.learn_one({"a": 1.0}, 0.100001)
    assert model.weights["a"] > 0.1


@quick
@given(blocks(limit=1), eighths(4, limit=4), eighths(1), st.sampled_from([0.5, 1.0, 1.9]))
def test_error_after_a_normalized_step(X, x, target, eta):
    y = float(target[0])
    for intercept in (False, True):
        model = LinearRegression(eta=eta, intercept=intercept, normalized=True)
        model.learn_many(np.resize(X, (len(X), 4)), X[:, 0])
        error = y - model.predict_one(x)
        model.learn_one(x, y)
        expected = (1.0 - eta * (x @ x + intercept) / (1.0 + x @ x)) * error
        assert abs(y - model.predict_one(x) - expected) <= 1e-12 * max(1.0, abs(error), abs(y))


def test_normalized_with_rate_one_and_intercept_hits_the_target():
    """|x|^2 + 1 is the whole length then, so the step is that of passive-aggressive regression."""
    model = trained(LinearRegression(eta=1.0, normalized=True), 4)
    for x, y, _ in measured(np.random.default_rng(1), 50, 4):
        model.learn_one(x, y)
        assert model.predict_one(x) == pytest.approx(y, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_normalized_never_diverges(size):
    rng = np.random.default_rng(2)
    X, truth = size * rng.normal(size=(2_000, 3)), rng.normal(size=3) / size
    model = LinearRegression(eta=1.9, normalized=True, intercept=False)
    model.learn_many(X, X @ truth)
    # Each step is a reflection at most: the distance to the truth never grows.
    distance = np.linalg.norm(rows(model, 3)[0] - truth)
    assert distance <= np.linalg.norm(truth)
    if size >= 1.0:
        assert distance <= 1e-6 * np.linalg.norm(truth)


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # it diverges, and says so
def test_plain_steps_are_stable_below_two_over_the_squared_length():
    for eta, stable in ((0.45, True), (0.55, False)):  # |x|^2 = 4
        model = LinearRegression(eta=eta, intercept=False)
        for _ in range(100):
            model.learn_one({"a": 2.0}, 3.0)
        error = abs(3.0 - model.predict_one({"a": 2.0}))
        assert error < 1e-6 if stable else error > 1e6


# -- where it converges ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "tolerance"),
    [
        ({"schedule": "power", "eta": 0.2, "power": 0.6}, 0.02),
        ({"schedule": "power", "eta": 0.5, "power": 1.0}, 0.02),
        ({"schedule": "sqrt", "eta": 0.2}, 0.02),
    ],
    ids=str,
)
def test_decaying_rates_reach_the_least_squares_solution(parameters, tolerance):
    X, y = noisy(np.random.default_rng(3), 100, 3)
    solution = np.linalg.lstsq(np.hstack([X, np.ones((100, 1))]), y)[0]
    model = LinearRegression(**parameters)
    model.fit(X, y, epochs=2_000)
    np.testing.assert_allclose(rows(model, 3)[0], solution, rtol=0.0, atol=tolerance)


def test_inverse_rate_reaches_the_ridge_solution():
    """The minimum of mean 1/2 (y - w.x)^2 + l2/2 |w|^2, no intercept."""
    X, y = noisy(np.random.default_rng(4), 100, 3)
    solution, _ = ridge(X, y, 100 * 0.2)
    model = LinearRegression(eta=0.2, schedule="inverse", l2=0.2, intercept=False)
    model.fit(X, y, epochs=2_000)
    np.testing.assert_allclose(rows(model, 3)[0], solution, rtol=0.0, atol=0.005)


def test_a_constant_rate_reaches_a_solution_without_noise():
    rng = np.random.default_rng(5)
    X, truth = rng.normal(size=(5_000, 3)), rng.normal(size=3)
    model = LinearRegression(eta=0.1)
    model.learn_many(X, X @ truth + 0.7)
    np.testing.assert_allclose(rows(model, 3)[0], [*truth, 0.7], rtol=0.0, atol=1e-12)


def test_a_rate_that_falls_too_fast_stalls():
    """The rates n^-2 add up to a finite sum: it stops on the way, however long it goes on."""
    rng = np.random.default_rng(6)
    X, truth = rng.normal(size=(100_000, 3)), np.array([3.0, -2.0, 4.0])
    y = X @ truth
    stalling = LinearRegression(schedule="power", power=2.0, eta=0.2, intercept=False)
    arriving = LinearRegression(schedule="power", power=0.6, eta=0.2, intercept=False)
    stalling.learn_many(X[:1_000], y[:1_000])
    arriving.learn_many(X[:1_000], y[:1_000])
    halfway = rows(stalling, 3)[0]
    stalling.learn_many(X[1_000:], y[1_000:])
    arriving.learn_many(X[1_000:], y[1_000:])
    assert np.linalg.norm(rows(arriving, 3)[0] - truth) < 1e-6
    assert np.linalg.norm(rows(stalling, 3)[0] - truth) > 0.3 * np.linalg.norm(truth)
    assert np.linalg.norm(rows(stalling, 3)[0] - halfway) < 0.01  # 99,000 examples: nothing


@quick
@given(blocks(limit=1, most_rows=40), st.data(), st.sampled_from([0.01, 0.1, 0.25]), st.booleans())
def test_regret_of_a_constant_rate(X, data, eta, intercept):
    """Sum of loss(w_t) - loss(u) <= |u|^2 / (2 eta) + eta/2 sum |g_t|^2, for any u."""
    y = data.draw(eighths(len(X)))
    extended = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    u = data.draw(eighths(extended.shape[1]))
    model = LinearRegression(eta=eta, intercept=intercept)
    errors = model.predict_learn_many(X, y) - y
    regret = 0.5 * np.sum(errors**2) - 0.5 * np.sum((extended @ u - y) ** 2)
    gradients = errors**2 * np.sum(extended**2, axis=1)
    bound = (u @ u) / (2.0 * eta) + 0.5 * eta * np.sum(gradients)
    assert regret <= bound + 1e-10 * (1.0 + bound + np.sum(errors**2))


def test_regret_bound_is_nearly_reached():
    """One direction, always the same target: the bound with the best u is close."""
    eta, n = 0.01, 300
    X, y = np.ones((n, 1)), np.ones(n)
    model = LinearRegression(eta=eta, intercept=False)
    errors = model.predict_learn_many(X, y) - y
    regret = 0.5 * np.sum(errors**2)  # u = 1 loses nothing
    bound = 1.0 / (2.0 * eta) + 0.5 * eta * np.sum(errors**2)
    assert 0.4 * bound < regret <= bound


# -- penalty and learning rates -------------------------------------------------------------------


def test_l2_shrinks_the_weights_and_not_the_intercept():
    model = LinearRegression(eta=0.5, l2=0.25)
    model.learn_one({"a": 1.0}, 2.0)
    assert (model.weights, model.bias) == ({"a": 1.0}, 1.0)
    model.learn_one({"b": 1.0}, 1.0)  # predicted 1: nothing but the decay
    assert (model.weights, model.bias) == ({"a": 0.875, "b": 0.0}, 1.0)


@pytest.mark.parametrize(("schedule", "rates"), BY_HAND.items())
def test_schedule(schedule, rates):
    """A new feature alone with the target 1: its weight is the rate."""
    l2 = 0.5 if schedule == "inverse" else 0.0
    model = LinearRegression(eta=0.4, schedule=schedule, power=0.75, l2=l2, intercept=False)
    for n, rate in enumerate(rates):
        model.learn_one({n: 1.0}, 1.0)
        assert model.weights[n] == pytest.approx(rate, rel=1e-14, abs=0.0)


def test_the_schedule_goes_on_after_init_or_restarts():
    parameters = {"eta": 0.4, "schedule": "sqrt", "intercept": False}
    model = LinearRegression(**parameters)
    for n in range(3):
        model.learn_one({n: 1.0}, 1.0)
    going_on = LinearRegression(**parameters, init=model)
    restarted = LinearRegression(**parameters, init=model)
    restarted.reset_schedule()
    going_on.learn_one({3: 1.0}, 1.0)
    restarted.learn_one({3: 1.0}, 1.0)
    assert going_on.weights[3] == pytest.approx(0.2, rel=1e-15, abs=0.0)
    assert restarted.weights[3] == pytest.approx(0.4, rel=1e-15, abs=0.0)


# -- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "more",
    [{}, {"l2": 0.02}, {"normalized": True}, {"normalized": True, "l2": 0.02}],
    ids=str,
)
def test_equals_the_reference(more, schedule, intercept, kind):
    if schedule == "inverse":
        more = {"l2": 0.5, **more}
    parameters = {"eta": 0.05, "schedule": schedule, "power": 0.7, "intercept": intercept, **more}
    stream = measured(np.random.default_rng(7), 300, 6, weighted=True)
    follow(LinearRegression(**parameters), oracle.LinearRegression(6, **parameters), stream, kind)


@quick
@given(
    blocks(limit=1),
    st.data(),
    st.sampled_from(SCHEDULES),
    st.sampled_from([0.01, 0.5]),
    st.booleans(),
    st.sampled_from(KINDS),
)
def test_equals_the_reference_on_any_stream(X, data, schedule, l2, intercept, kind):
    y = data.draw(eighths(len(X)))
    parameters = {"eta": 0.25, "schedule": schedule, "l2": l2, "intercept": intercept}
    stream = [(x, float(target), 1.0) for x, target in zip(X, y, strict=True)]
    reference = oracle.LinearRegression(X.shape[1], **parameters)
    follow(LinearRegression(**parameters), reference, stream, kind)
